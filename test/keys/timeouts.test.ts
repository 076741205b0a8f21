import { describe, expect, test } from 'vitest';
import { STORES } from '../shared/stores.ts';
import { silentUpstream } from '../silent-upstream.ts';
import { openKeys } from './clients.ts';

/** Requests that get no answer, but may have been charged, and the budget of the client that sent them. */

const BUDGET = 5;
const RATE = '{ fxRate(pair: "USDTRY") { mid } }';

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  test.skipIf(isMissing)(
    'no more is charged than a budget allows, without a limit, too',
    async () => {
      const { url, charged } = await silentUpstream();
      const store = await openStore();
      const budgets = [{ meter: 'FX', window: 'MONTH', limit: BUDGET }];
      const { ask, bench } = await openKeys([{ name: 'web', budgets }], {
        env: { ...store.env, UPSTREAM_TIMEOUT_MS: '400', TIMEOUTS_COUNT: '1', GROUP_A_URL: url },
        // The sandbox does not know what the other upstream charges.
        unreadUnits: -BUDGET,
      });
      const codes: unknown[] = [];
      while (codes.length < 20 && codes.at(-1) !== 'CLIENT_BUDGET_EXCEEDED') {
        codes.push((await ask('web', RATE)).errors[0]?.extensions['code']);
        bench.clock.advance(60_000);
      }
      expect(codes[0]).toBe('UPSTREAM_TIMEOUT');
      expect(codes.at(-1)).toBe('CLIENT_BUDGET_EXCEEDED');
      expect(charged()).toBeLessThanOrEqual(BUDGET);
    },
  );
});
