import { expect, test } from 'vitest';
import { newAccount } from '../../src/shared/account.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { openAccount } from '../../src/usage/open-account.ts';

test('a request does not wait forever for units that are promised and never come', async () => {
  let monotonic = 0;
  const store = unitsInSqlite({
    path: ':memory:',
    now: () => 0,
    onTrouble: { begins() {}, ends() {}, moved() {} },
  });
  const account = openAccount(
    { month: '2026-11', meter: 'fx' },
    {
      store: {
        ...store,
        apply(_id, { take }) {
          monotonic += 1000;
          const nothing = { taken: take.map(() => 0), elsewhere: 0, advance: 0, waitMs: 1 };
          return { account: newAccount(), ...nothing };
        },
      },
      limit: 9,
      now: () => 0,
      monotonic: () => monotonic,
      onSpentElsewhere: () => expect.unreachable('nobody else spends'),
    },
  );
  const purpose = { client: '', operation: 'Q', dataset: 'd', hour: 7, budgets: [] };
  expect(await account.take({ purpose, cost: 1 })).toBe('UNCERTAIN');
  expect(monotonic).toBeGreaterThan(3000);
  await store.close();
});
