import { expect, test } from 'vitest';
import { open } from './opened.ts';

/** Requests whose cost no answer has stated yet. */

test('one that is not sent leaves its place to one other, so that no limit is exceeded', async () => {
  const { ask, begin, sandbox } = await open();
  const release = sandbox.fault({ kind: 'hold', path: '/crypto' });
  // Its limit covers one request at the maximum cost.
  const limited = () => ({ ...begin(1000), maxUnits: 1000 });
  const abandoned = ask('crypto', { ...limited(), isAbandoned: () => true });
  const others = [1, 2, 3].map(() => ask('crypto', limited()));
  expect(await abandoned).not.toBe('ok');
  const sent = () => sandbox.requests().filter(({ group }) => group === 'B');
  await expect.poll(sent).toHaveLength(1);
  // By the time that this is answered, all that could be sent would have arrived.
  await ask('rates');
  expect(sent()).toHaveLength(1);
  release();
  expect(await Promise.all(others)).toEqual(['ok', 'ok', 'ok']);
});
