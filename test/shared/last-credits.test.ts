import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { STORES } from './stores.ts';

/** The last credits that the upstream says are left are spent only once. */

const BEFORE = '{ cryptoAssets(convert: EUR) { totalCount } }';
/** Each costs a credit. */
const TOGETHER = [
  'cryptoAssets(convert: TRY) { totalCount }',
  'calendarEvents { totalCount }',
  'legislationChanges { totalCount }',
];

describe.each(STORES)('$name', ({ open: openStore, isMissing }) => {
  test.skipIf(isMissing).each([1, 2])(
    'questions at the same moment send no more requests than a balance of %i pays for',
    async (left) => {
      const { env } = await openStore();
      const { sandbox, get, ask } = await open({ env, credits: 1 + left, latencyMs: 50 });
      await get(BEFORE);
      const { errors, extensions } = await ask(`{ ${TOGETHER.join(' ')} }`);
      const codes = errors.map(({ extensions: { code } }) => code);
      expect(codes).toEqual(
        Array.from({ length: TOGETHER.length - left }, () => 'INSUFFICIENT_CREDITS'),
      );
      expect(extensions.usage.credits.used).toBe(left);
      expect(sandbox.requests()).toHaveLength(1 + left);
    },
  );

  test.skipIf(isMissing)(
    'a client is not told that its budget refused, if the balance did',
    async () => {
      const { env } = await openStore();
      const budgets = [{ meter: 'CREDITS', window: 'DAY', limit: 500 }];
      const options = { env, credits: 1 + 2, latencyMs: 50 };
      const { ask } = await openKeys([{ name: 'web', budgets }], options);
      await ask('web', BEFORE);
      const { errors, extensions } = await ask('web', `{ ${TOGETHER.join(' ')} }`);
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
      expect(extensions.usage.client?.budgets[0]).toMatchObject({ used: 3, limit: 500 });
    },
  );
});
