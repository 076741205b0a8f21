import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY_PREFIX, openServer, script } from '../../src/shared/valkey/server.ts';
import { formatDay, parseDay } from '../../src/time.ts';
import { open } from '../harness.ts';
import { openProxy } from './faults.ts';
import { NO_SERVER, startValkey, type ValkeyServer } from './valkey-server.ts';

/** Whatever happens to the server that replicas share, no operation fails because of it, or waits for it. */

const rate = (pair: string) => `{ fxRate(pair: "${pair}") { buying } }`;
const history = (pair: string, day: string) =>
  `{ fxRate(pair: "${pair}") { history(start: "${day}", end: "${day}") { points { value } } } }`;

/** A server that is known to be away is not waited for; the rest is for a busy machine. */
const MAX_WAIT_MS = 150 + 1350;

async function openReplicas() {
  const server = await startValkey();
  const proxy = await openProxy(server.url);
  const bench = await open({ env: { SHARED_URL: proxy.url, WIDEN_MAX_BYTES: '0' } });
  const other = await bench.another({ SHARED_URL: server.url, WIDEN_MAX_BYTES: '0' });
  await bench.ask(rate('USDTRY'));
  // An answer that is not stored when its owner is cut off would be waited for until the lease ends.
  await other.ask(rate('USDTRY'));
  return { ...bench, other, server, proxy };
}

type ServerProxy = Awaited<ReturnType<typeof openProxy>>;
interface ServerFault {
  name: string;
  inject(server: ValkeyServer, proxy: ServerProxy): unknown;
  heal(server: ValkeyServer, proxy: ServerProxy): unknown;
}

const FAULTS: ServerFault[] = [
  { name: 'down', inject: (server) => server.kill(), heal: (server) => server.start() },
  { name: 'frozen', inject: (server) => server.freeze(), heal: (server) => server.resume() },
  { name: 'slow', inject: (_, proxy) => proxy.slow(200), heal: (_, proxy) => proxy.restore() },
  {
    name: 'cut off from one',
    inject: (_, proxy) => proxy.cut(),
    heal: (_, proxy) => proxy.restore(),
  },
  {
    name: 'behind a connection whose packets are lost',
    inject: (_, proxy) => proxy.dropPackets(),
    heal: () => undefined,
  },
  { name: 'flushed', inject: ({ command }) => command('FLUSHALL'), heal: () => undefined },
  {
    name: 'without its scripts',
    inject: ({ command }) => command('SCRIPT', 'FLUSH'),
    heal: () => undefined,
  },
  {
    name: 'full',
    inject: ({ command }) => command('CONFIG', 'SET', 'maxmemory', '1'),
    heal: ({ command }) => command('CONFIG', 'SET', 'maxmemory', '0'),
  },
];

describe.skipIf(NO_SERVER)('a shared server', () => {
  test.each(FAULTS)(
    'that is $name: all is served, and shared again when it is over',
    async (fault) => {
      const { ask, other, server, proxy, sandbox, log } = await openReplicas();
      await fault.inject(server, proxy);
      const began = performance.now();
      expect((await ask(rate('USDTRY'))).errors).toEqual([]);
      expect(performance.now() - began).toBeLessThan(MAX_WAIT_MS);
      for (const one of [{ ask }, other])
        expect((await one.ask(history('EURTRY', '2026-03-02'))).errors).toEqual([]);
      await fault.heal(server, proxy);
      let day = parseDay('2020-01-01')!;
      const isShared = async () => {
        const query = history('GBPTRY', formatDay((day += 1)));
        await other.ask(query);
        const before = sandbox.requests().length;
        await ask(query);
        return sandbox.requests().length === before;
      };
      await expect.poll(isShared, { interval: 300 }).toBe(true);
      expect(log()).not.toContain('INTERNAL');
    },
  );

  test('that is away for a moment when an answer arrives: it is shared, and not paid for again', async () => {
    const { ask, other, proxy, sandbox } = await openReplicas();
    const query = history('EURTRY', '2026-03-02');
    const path = '/v1/fx/rates/EURTRY/history';
    const release = sandbox.fault({ path, kind: 'hold', times: 1 });
    const asked = ask(query);
    const requests = () => sandbox.requests().filter((one) => one.path.startsWith(path)).length;
    await expect.poll(requests).toBe(1);
    const both = [asked, other.ask(query)];
    proxy.cut();
    // Until something is sent, nobody notices.
    await pause(600);
    release();
    expect((await asked).errors).toEqual([]);
    proxy.restore();
    for (const one of both) expect((await one).errors).toEqual([]);
    expect(requests()).toBe(1);
  });

  test('that is not there at the start: all is served', async () => {
    const server = await startValkey();
    await server.kill();
    const { ask, another, cost } = await open({ env: { SHARED_URL: server.url } });
    expect((await ask(rate('USDTRY'))).errors).toEqual([]);
    await server.start();
    await expect
      .poll(async () => {
        const { extensions } = await ask('{ cryptoAssets(first: 1) { totalCount } }');
        return extensions.usage.upstream.cacheHits;
      })
      .toBeGreaterThan(0);
    await ask('{ macroCatalog(first: 1) { totalCount } }');
    const healthy = await another({ SHARED_URL: server.url });
    await expect
      .poll(() =>
        healthy.ask('{ macroCatalog(first: 1) { totalCount } }').then(({ errors }) => errors),
      )
      .toEqual([]);
    expect(await cost('{ macroCatalog(first: 1) { totalCount } }')).toBe(0);
  });
});

test.skipIf(NO_SERVER)('a server that refuses writes is reported as not up, once', async () => {
  const { url, command } = await startValkey();
  const troubles: string[] = [];
  const server = openServer({
    url,
    onTrouble: { begins: () => expect.unreachable('it is there'), ends() {} },
    onRefusal: {
      begins: () => void troubles.push('refuses'),
      ends: () => void troubles.push('not any more'),
    },
  });
  onTestFinished(server.close);
  await server.ready(1000);
  expect(server.isUp()).toBe(true);
  const scripts = ['x', 'y'].map((value) =>
    script(`return redis.call('SET', KEYS[1], '${value}')`),
  );
  const writes = async () => {
    for (const one of scripts) await server.run(one, [`${KEY_PREFIX}x`], []);
  };
  await command('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await expect
    .poll(async () => {
      await writes();
      return server.isUp();
    })
    .toBe(false);
  expect(server.isAway()).toBe(false);
  await command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  await writes();
  expect(server.isUp()).toBe(true);
  expect(troubles).toEqual(['refuses', 'not any more']);
});
