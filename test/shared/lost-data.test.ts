import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { HEARTBEAT_MS } from '../../src/shared/valkey/units-script.ts';
import { open } from '../harness.ts';
import { restartStored } from './faults.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What a server has counted survives in the replicas that run. */

const LOST = 'had lost what was counted';
const spend = '{ fxRates(first: 1) { totalCount } cryptoAssets(first: 1) { totalCount } }';
const usage = '{ usage { fx { usedThisMonth } credits { usedThisMonth } } }';

describe.skipIf(NO_SERVER)('what a server has counted', () => {
  test('is restored if it was lost, and the log says so once', async () => {
    const server = await startValkey();
    const { ask, another, cost, log } = await open({ env: { SHARED_URL: server.url } });
    expect(await cost(spend)).toBe(2);
    await server.command('FLUSHALL');
    await expect.poll(log).toContain(LOST);
    const other = await another({ SHARED_URL: server.url });
    for (const one of [ask, other.ask])
      await expect
        .poll(async () => (await one(usage)).data)
        .toEqual({ usage: { fx: { usedThisMonth: 1 }, credits: { usedThisMonth: 1 } } });
    // Every account has been handed over by then.
    await pause(3 * HEARTBEAT_MS);
    expect(log().split(LOST)).toHaveLength(2);
  });

  test('is not taken for lost if the server was restarted with its data', async () => {
    const server = await startValkey();
    const { cost, log } = await open({ env: { SHARED_URL: server.url } });
    expect(await cost(spend)).toBe(2);
    await restartStored(server);
    await pause(5 * HEARTBEAT_MS);
    expect(await cost('{ macroCatalog(first: 1) { totalCount } }')).toBe(1);
    expect(log()).not.toContain(LOST);
  });
});
