import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { findSlot, portOf, startCluster } from './cluster.ts';
import { NO_SERVER } from './valkey-server.ts';

const PATH = '/v1/fx/rates/USDTRY/history';
const history = (day: string) =>
  `{ fxRate(pair: "USDTRY") { history(start: "${day}", end: "${day}") { points { value } } } }`;

test.skipIf(NO_SERVER)(
  'a cluster that moves what gateways keep to another node while an answer arrives: all of it can follow',
  async () => {
    const nodes = await startCluster();
    const { slot, owner } = await findSlot(nodes);
    const next = nodes.find((node) => node !== owner)!;
    const keysOn = async ({ command }: typeof owner) =>
      ((await command('CLUSTER', 'GETKEYSINSLOT', slot, '1000')) as string[]).toSorted();
    const move = async (keys: readonly string[]) => {
      for (const key of keys)
        await owner.command('MIGRATE', '127.0.0.1', portOf(next), key, '0', '5000');
    };
    const env = { SHARED_URL: owner.url, WIDEN_MAX_BYTES: '0' };
    const { ask, another, sandbox } = await open({ env });
    await ask(history('2026-03-02'));
    const release = sandbox.fault({ path: PATH, kind: 'hold', times: 1 });
    const asked = ask(history('2026-03-03'));
    const sent = () => sandbox.requests().filter(({ path }) => path.startsWith(PATH)).length;
    await expect.poll(sent).toBe(2);

    const ids = {
      from: await owner.command('CLUSTER', 'MYID'),
      to: await next.command('CLUSTER', 'MYID'),
    };
    await next.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(ids.from));
    await owner.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(ids.to));
    const isMovedFirst = (key: string) => /:(flights|heads):/.test(key);
    await move((await keysOn(owner)).filter(isMovedFirst));
    release();
    expect((await asked).errors).toEqual([]);
    // The request is over: its answer was stored, or it was not.
    await expect.poll(async () => (await keysOn(next)).join()).not.toContain(':flights:');
    await move(await keysOn(owner));
    for (const { command } of [next, owner])
      await command('CLUSTER', 'SETSLOT', slot, 'NODE', String(ids.to));

    const sentByAnother = async () => {
      const before = sent();
      await (await another(env)).ask(history('2026-03-02'));
      return sent() - before;
    };
    // On a busy machine the server may answer too late for one gateway: the next one is asked then.
    await expect.poll(sentByAnother, { timeout: 20_000 }).toBe(0);
  },
);
