import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, open, START } from './governed.ts';

/** Pauses between the hours in which a gateway is used: before all clients use it, or regularly. */

/** A third of what the clients would spend until the month's end. */
const LIMIT = 3000;
const MORNING = START + 7 * DAY + 10 * HOUR;
/** Asked for as often as all clients do: 150 units an hour at full speed. */
const KEYS = 25;

/** Returns the units that the first day of all clients costs, after try-outs, each with a pause of some hours. */
function firstDay(triedHours: number, pauseHours: number, times = 1): number {
  const start = MORNING - times * (triedHours + pauseHours) * HOUR;
  const { world, draw, ask, pass } = open({ limit: LIMIT, start });
  for (let time = 0; time < times; time += 1) {
    for (let passed = 0; passed < triedHours * HOUR; passed += 2 * MINUTE) {
      if (draw.chance(0.1)) ask('key 0');
      world.now += 2 * MINUTE;
    }
    world.now += pauseHours * HOUR;
  }
  const before = world.used;
  pass(24, undefined, KEYS);
  return world.used - before;
}

test.each([30, 48, 64, 120])(
  'after two hours and a pause of %i hours, the first day is not taken for a spike',
  (pauseHours) => {
    expect(firstDay(2, pauseHours)).toBeLessThan(1.5 * firstDay(0, 0));
  },
);

test('nor after two of them, although more of the nights is known then', () => {
  expect(firstDay(2, 46, 2)).toBeLessThan(3 * firstDay(0, 0));
});

test('a gateway that is used for an hour every other day is known to be idle in between', () => {
  const { governor, world, pass } = open({ limit: 1000, start: MORNING - 7 * DAY });
  for (let session = 0; session < 10; session += 1) {
    pass(1, undefined, 4);
    world.now += 47 * HOUR;
  }
  expect(governor.stretch()).toBe(1);
  expect(governor.forecast()?.monthEnd).toBeLessThan(2 * world.used);
});
