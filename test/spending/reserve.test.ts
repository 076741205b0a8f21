import { expect, test } from 'vitest';
import { DAY, FREE_COST, HOUR, START, open } from './governed.ts';

test('a new query is still paid for when refreshing has stopped', () => {
  const { governor, world, ask, pass } = open({ limit: FREE_COST / 10 });
  let i = 0;
  pass(10 * 24, () => void (i % 180 === 0 ? ask(`new ${i++}`) : (i += 1)));
  expect(governor.mayRefresh()).toBe(true);
  world.limit = world.used + 30;
  world.now += HOUR;
  expect(governor.mayRefresh()).toBe(false);
  expect(ask('key 0')).toBe(false);
  expect(ask('never asked')).toBe(true);
});

test('the reserve shrinks to nothing at the end of the month', () => {
  const { governor, world, ask, pass } = open({ limit: FREE_COST, start: START + 26 * DAY });
  let i = 0;
  pass(3.9 * 24, () => void (i % 30 === 0 ? ask(`new ${i++}`) : (i += 1)));
  world.limit = world.used + 30;
  world.now = START + 30 * DAY - 60_000;
  expect(governor.mayRefresh()).toBe(true);
});
