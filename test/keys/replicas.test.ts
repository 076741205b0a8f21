import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { openProxy } from '../shared/faults.ts';
import { NO_SERVER, startValkey } from '../shared/valkey-server.ts';
import { openKeys } from './clients.ts';
import {
  expectEnded,
  expectOpen,
  writeManifest,
  openStreams,
  REFUSED,
  SERVED,
  statuses,
} from './revoking.ts';

/** Replicas on one server, each with its own copy of the file. */

const TWO_CLIENTS = [{ name: 'web' }, { name: 'app' }];

/**
 * Opens two replicas. `keys` write to the first one's copy, and `writeOther` copies that to the other one. The replica
 * that `proxied` names is connected to the server by `proxy`.
 */
async function openReplicas(unreadUnits = 0, proxied?: 'first' | 'other') {
  const server = await startValkey();
  const proxy = await openProxy(server.url);
  const PERSISTED_DOCUMENTS = writeManifest();
  const envOf = (which: 'first' | 'other') => ({
    PERSISTED_DOCUMENTS,
    SHARED_URL: which === proxied ? proxy.url : server.url,
  });
  const keys = await openKeys(TWO_CLIENTS, { unreadUnits, env: envOf('first') });
  const otherPath = join(temporaryFolder(), 'clients.json');
  const writeOther = () => copyFileSync(keys.path, otherPath);
  writeOther();
  const openWith = (path: string) => keys.bench.another({ ...envOf('other'), CLIENTS_FILE: path });
  const openWithCopy = () => openWith(otherPath);
  const { url } = await openWithCopy();
  return { keys, url, otherPath, writeOther, openWith, openWithCopy, server, proxy };
}

describe.skipIf(NO_SERVER)('a key that is revoked in one copy', () => {
  test('is refused by all, and its streams end everywhere', async () => {
    const { keys, url } = await openReplicas(1);
    const all = [await openStreams(keys, 'web'), await openStreams(keys, 'web', url)];
    const others = [await openStreams(keys, 'app'), await openStreams(keys, 'app', url)];
    keys.write([{ name: 'app' }]);
    for (const streams of all) await expectEnded(streams);
    for (const one of [keys.bench.url, url])
      await expect.poll(() => statuses(keys, 'web', one)).toEqual(REFUSED);
    for (const streams of others) await expectOpen(streams);
    expect(await statuses(keys, 'app', url)).toEqual(SERVED);
  });

  test('is refused within a second', { retry: 5 }, async () => {
    const { keys, url } = await openReplicas(1);
    const { socket, events } = await openStreams(keys, 'web', url);
    const ended = [socket, ...events].map((one) => one.ended);
    keys.write([{ name: 'app' }]);
    const startedAt = performance.now();
    await Promise.all(ended);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(await statuses(keys, 'web', url)).toEqual(REFUSED);
  });

  test('stays revoked while the other copies still list it, whatever else changes in them', async () => {
    const { keys, url, otherPath } = await openReplicas();
    keys.write([{ name: 'app' }]);
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(REFUSED);
    const taken = () => keys.bench.log().split('CLIENTS_FILE: reloaded').length - 1;
    expect(taken()).toBe(1);
    // Both clients are still in this copy, and `app` has a limit now.
    const [web] = TWO_CLIENTS.map(({ name }) => ({ name, keys: keys.digestsOf(name) }));
    const app = { name: 'app', keys: keys.digestsOf('app'), operationsPerMinute: 999 };
    writeFileSync(otherPath, JSON.stringify({ clients: [web, app] }));
    await expect.poll(taken).toBe(2);
    expect(await statuses(keys, 'web', url)).toEqual(REFUSED);
  });

  test('is refused by a replica that starts later with an old copy, and the log says whose key it is', async () => {
    const { keys, url, openWithCopy } = await openReplicas();
    keys.write([{ name: 'app' }]);
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(REFUSED);
    const later = await openWithCopy();
    expect(await statuses(keys, 'web', later.url)).toEqual(REFUSED);
    expect(await statuses(keys, 'app', later.url)).toEqual(SERVED);
    const warning = /"client":"web","msg":"CLIENTS_FILE: a key that was revoked/g;
    const times = () => keys.bench.log().match(warning)?.length;
    await expect.poll(times).toBe(2);
  });

  test('stays revoked if the server loses its data', async () => {
    const { keys, url, server } = await openReplicas();
    keys.write([{ name: 'app' }]);
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(REFUSED);
    await server.command('FLUSHALL');
    const isBack = () => server.command('KEYS', '*:revoked');
    await expect.poll(isBack).toHaveLength(1);
    expect(await statuses(keys, 'app', url)).toEqual(SERVED);
    expect(await statuses(keys, 'web', url)).toEqual(REFUSED);
  });

  test.each(['first', 'other'] as const)(
    'is refused everywhere once the %s replica, which was cut off, is back',
    async (isCutOff) => {
      const { keys, url, proxy } = await openReplicas(0, isCutOff);
      proxy.cut();
      keys.write([{ name: 'app' }]);
      await expect.poll(() => statuses(keys, 'web')).toEqual(REFUSED);
      expect(await statuses(keys, 'web', url)).toContain(200);
      proxy.restore();
      await expect.poll(() => statuses(keys, 'web', url)).toEqual(REFUSED);
    },
  );

  test('is valid again everywhere once it is back in that copy', async () => {
    const { keys, url } = await openReplicas();
    keys.write([{ name: 'app' }]);
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(REFUSED);
    keys.write(TWO_CLIENTS);
    await expect.poll(() => statuses(keys, 'web')).toEqual(SERVED);
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(SERVED);
  });

  test('is valid again if all copies lose it and get it back', async () => {
    const { keys, url, writeOther } = await openReplicas();
    keys.write([{ name: 'app' }]);
    writeOther();
    await expect.poll(() => keys.bench.log().split('reloaded').length).toBe(3);
    expect(await statuses(keys, 'web', url)).toEqual(REFUSED);
    keys.write(TWO_CLIENTS);
    writeOther();
    await expect.poll(() => statuses(keys, 'web', url)).toEqual(SERVED);
  });

  test('and put back stays valid when a replica is back that was cut off and knows only of the first change', async () => {
    const { keys, url, writeOther, openWith, proxy } = await openReplicas(0, 'other');
    proxy.cut();
    keys.write([{ name: 'app' }]);
    writeOther();
    for (const one of [keys.bench.url, url])
      await expect.poll(() => statuses(keys, 'web', one)).toEqual(REFUSED);
    keys.write(TWO_CLIENTS);
    await expect.poll(() => statuses(keys, 'web')).toEqual(SERVED);
    keys.write([{ name: 'web' }]);
    await expect.poll(() => statuses(keys, 'app')).toEqual(REFUSED);
    proxy.restore();
    // Once it has read this, it has also sent what it knows.
    await expect.poll(() => statuses(keys, 'app', url)).toEqual(REFUSED);
    const later = await openWith(keys.path);
    expect(await statuses(keys, 'web', later.url)).toEqual(SERVED);
  });

  test('is refused, and one that was put back is valid, when the server comes back with an older memory', async () => {
    const { keys, url, openWithCopy, server } = await openReplicas();
    const write = async (listed: string, other: string) => {
      keys.write([{ name: listed }]);
      await expect.poll(() => statuses(keys, other, url)).toEqual(REFUSED);
      await expect.poll(() => statuses(keys, listed, url)).toEqual(SERVED);
    };
    await write('app', 'web');
    await write('web', 'app');
    await server.command('SAVE');
    await write('app', 'web');
    await server.kill();
    await server.start();
    // It has an old copy, in which both are listed, and knows what the server tells.
    const later = await openWithCopy();
    await expect.poll(() => statuses(keys, 'web', later.url)).toEqual(REFUSED);
    await expect.poll(() => statuses(keys, 'app', later.url)).toEqual(SERVED);
    expect(await statuses(keys, 'web', url)).toEqual(REFUSED);
    expect(await statuses(keys, 'app', url)).toEqual(SERVED);
  });
});
