import { expect, test } from 'vitest';
import { DAY, FREE_COST, MINUTE, START, open } from './governed.ts';

test('the forecast tells when free spending runs out, and that even spending does not', () => {
  const [free, even] = (['free', 'even'] as const).map((spending) =>
    open({ limit: FREE_COST / 2, spending }),
  );
  free!.pass(5 * 24);
  even!.pass(5 * 24);
  const ran = free!.governor.forecast()!;
  expect((ran.exhaustedAt! - START) / DAY).toBeCloseTo(15, 0);
  expect(ran.monthEnd / (FREE_COST / 2)).toBeCloseTo(1, 1);
  const { exhaustedAt, monthEnd, stretch } = even!.governor.forecast()!;
  expect(exhaustedAt === null || exhaustedAt > START + 28 * DAY).toBe(true);
  expect(monthEnd).toBeGreaterThan(FREE_COST * 0.45);
  expect(monthEnd).toBeLessThanOrEqual(FREE_COST / 2);
  expect(stretch).toBeGreaterThan(1);
});

test.each([2, 4, 10])(
  'if stretching makes a month last, no forecast says otherwise: 1/%i of the units',
  (part) => {
    const { governor, pass } = open({ limit: FREE_COST / part });
    const alarms: number[] = [];
    pass(29 * 24 + 20, () => alarms.push(governor.forecast()?.exhaustedAt ?? 0));
    expect(Math.max(...alarms)).toBe(0);
  },
);

test('there is a forecast even if it is unknown what is left', () => {
  const { governor, pass } = open({ limit: null });
  pass(3 * 24);
  const { monthEnd, exhaustedAt } = governor.forecast()!;
  expect(exhaustedAt).toBeNull();
  expect(monthEnd / FREE_COST).toBeCloseTo(1, 1);
});

test('a forecast in the first minute of a month is one of that month', () => {
  const start = START + 20 * DAY;
  const { governor, world, pass } = open({ limit: FREE_COST / 4, start });
  pass(10 * 24 - 1);
  world.now = START + 30 * DAY - 1000;
  expect(governor.forecast()?.monthEnd).toBeLessThan(1.1 * world.used);
  Object.assign(world, { now: START + 30 * DAY + 1000, used: 0 });
  expect(governor.forecast()?.monthEnd).toBeGreaterThan(FREE_COST / 8);
});

test('the time at which nothing will be left is never in the past', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 10 });
  pass(24);
  governor.forecast();
  world.now += MINUTE / 2;
  world.elsewhere = FREE_COST;
  expect(governor.forecast()?.exhaustedAt).toBe(world.now);
});
