import { expect, test } from 'vitest';
import { openServer } from '../../src/shared/valkey/server.ts';
import { permitsInValkey } from '../../src/shared/valkey/permits.ts';
import { NO_SERVER, startValkey } from '../shared/valkey-server.ts';
import { ENDPOINTS, open } from './opened.ts';

/** Replicas share a limit: a request that is delayed after it got its permit needs another one. */

test.skipIf(NO_SERVER)(
  'a permit that is too late is given back, and another one used',
  async () => {
    const { url, command } = await startValkey();
    const server = openServer({
      url,
      onTrouble: { begins: () => undefined, ends: () => undefined },
    });
    await server.ready(1000);
    const time = { monotonic: 0 };
    const perSecond = 5;
    const monotonic = () => time.monotonic;
    const permits = permitsInValkey({ server, base: '{test}:', perSecond, monotonic });
    const { client, ledger, sandbox, begin, clocks } = await open({
      groupB: { requestsPerSecond: perSecond, permits },
    });
    const { endpoint, target } = ENDPOINTS.crypto;
    let started = 0;
    const delay = () => {
      started += 1;
      time.monotonic += 600;
      clocks.monotonic += 600;
      return target;
    };
    const given = () => command('ZRANGE', '{test}:permits:given', '0', '-1');
    const operation = begin(15_000);
    expect(await client.fetch(endpoint, delay, operation)).toBeDefined();
    expect(sandbox.requests()).toHaveLength(1);
    // The target is claimed anew, since its claim would have expired by then.
    expect(started).toBe(2);
    expect([operation.requests, operation.units]).toEqual([1, 1]);
    expect(ledger.states().credits.usedThisMonth).toBe(1);
    await expect.poll(given).toHaveLength(1);
    permits.close();
    server.close();
  },
);
