import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openAdmin, sum } from '../observe/admin.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** A server that evicts what it was told as soon as it is told: its memory is full, and nobody set `noeviction`. */

const RATES = '{ fxRates(first: 1) { totalCount } }';
const POLICIES = ['allkeys-lru', 'volatile-lru'];
const UNCERTAIN = [{ extensions: { code: 'SPENDING_UNCERTAIN', meter: 'fx' } }];

const startEvicting = (policy: string) =>
  startValkey('--maxmemory', '1', '--maxmemory-policy', policy);

describe.skipIf(NO_SERVER)('a server that evicts what counts units', () => {
  test.each(POLICIES)(
    '(%s) is as good as none: a limited meter spends nothing, nobody waits, and the log says so',
    async (policy) => {
      const { url, command } = await startEvicting(policy);
      const { ask, cost, log, sandbox } = await open({
        env: { SHARED_URL: url, FX_MONTHLY_LIMIT: '5', SPENDING: 'free' },
      });
      for (let i = 0; i < 3; i += 1) expect((await ask(RATES)).errors).toMatchObject(UNCERTAIN);
      expect(sandbox.spent().fx).toBe(0);
      await expect.poll(log, { timeout: 10_000 }).toContain('keeps no count of units');
      await command('CONFIG', 'SET', 'maxmemory', '0');
      await expect.poll(log, { timeout: 10_000 }).toContain('keeps the count of units again');
      expect(await cost(RATES)).toBe(1);
    },
  );

  test.each(POLICIES)('(%s) counts as unusable in metrics and console', async (policy) => {
    const { url, command } = await startEvicting(policy);
    const { ask, get, metrics } = await openAdmin({ SHARED_URL: url });
    const isUp = async () => sum(await metrics(), 'marketgraph_shared_store_up');
    const store = async () =>
      ((await (await get('/report.json')).json()) as { store: string }).store;
    // Without a limit, what is spent is counted here.
    expect((await ask(RATES)).errors).toEqual([]);
    await expect.poll(isUp, { timeout: 10_000 }).toBe(0);
    expect(await store()).toBe('unusable');
    await command('CONFIG', 'SET', 'maxmemory', '0');
    await expect.poll(isUp, { timeout: 10_000 }).toBe(1);
    expect(await store()).toBe('ok');
    const { extensions } = await ask('{ usage { fx { usedThisMonth } } }');
    expect(extensions).toMatchObject({ usage: { fx: { usedThisMonth: 1 } } });
  });
});
