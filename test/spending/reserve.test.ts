import { expect, test } from 'vitest';
import { DAY, FREE, HOUR, START, open } from './governed.ts';

test('what was never asked before is paid for when refreshing has stopped', () => {
  const { governor, world, ask, pass } = open({ limit: FREE / 10 });
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
  const { governor, world, ask, pass } = open({ limit: FREE, start: START + 26 * DAY });
  let i = 0;
  pass(3.9 * 24, () => void (i % 30 === 0 ? ask(`new ${i++}`) : (i += 1)));
  world.limit = world.used + 30;
  world.now = START + 30 * DAY - 60_000;
  expect(governor.mayRefresh()).toBe(true);
});

test('the forecast tells when free spending runs out, and that even spending does not', () => {
  const [free, even] = (['free', 'even'] as const).map((spending) =>
    open({ limit: FREE / 2, spending }),
  );
  free!.pass(5 * 24);
  even!.pass(5 * 24);
  const ran = free!.governor.forecast()!;
  expect((ran.exhaustedAt! - START) / DAY).toBeCloseTo(15, 0);
  expect(ran.monthEnd / (FREE / 2)).toBeCloseTo(1, 1);
  const { exhaustedAt, monthEnd, stretch } = even!.governor.forecast()!;
  expect(exhaustedAt === null || exhaustedAt > START + 28 * DAY).toBe(true);
  expect(monthEnd).toBeGreaterThan(FREE * 0.45);
  expect(monthEnd).toBeLessThanOrEqual(FREE / 2);
  expect(stretch).toBeGreaterThan(1);
});

test('where nobody knows what is left, there is a forecast all the same', () => {
  const { governor, pass } = open({ limit: null });
  pass(3 * 24);
  const { monthEnd, exhaustedAt } = governor.forecast()!;
  expect(exhaustedAt).toBeNull();
  expect(monthEnd / FREE).toBeCloseTo(1, 1);
});
