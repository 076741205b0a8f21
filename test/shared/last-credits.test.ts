import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
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
});
