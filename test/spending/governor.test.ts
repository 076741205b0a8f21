import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGovernor } from '../../src/spending/governor.ts';
import type { SpendingHistory } from '../../src/spending/rows.ts';
import { createMemoryHistory } from './memory-history.ts';
import { ACCOUNT, DAY, FREE_COST, HOUR, MINUTE, START, open } from './governed.ts';

describe('nothing is stretched', () => {
  test('before anything is known', () => {
    const { governor } = open({ limit: 10 });
    expect(governor.stretch()).toBe(1);
    expect(governor.forecast()).toBeNull();
    expect(governor.mayRefresh()).toBe(true);
    expect(governor.patience('LOW')).toBe(1);
  });

  test('while the allowance suffices or is unknown, or spending is free', () => {
    for (const settings of [
      { limit: FREE_COST },
      { limit: null },
      { limit: 500, spending: 'free' },
    ] as const) {
      const { governor, pass } = open(settings);
      const seen = new Set<number>();
      pass(2 * 24, () => seen.add(governor.stretch()));
      expect([...seen]).toEqual([1]);
    }
  });

  test('while the history has not been read', async () => {
    const history = createMemoryHistory();
    open({ limit: FREE_COST / 10, history }).pass(48);
    const slow: SpendingHistory = {
      add: history.add,
      read: async (meter, from) => history.read(meter, from),
    };
    const { governor, world } = open({
      limit: FREE_COST / 10,
      history: slow,
      start: START + 48 * HOUR,
    });
    expect(governor.stretch()).toBe(1);
    await new Promise(setImmediate);
    world.now += MINUTE;
    expect(governor.stretch()).toBeGreaterThan(10);
  });
});

test('a history that cannot be read leaves what this process sees itself', async () => {
  const memory = createMemoryHistory();
  const broken: SpendingHistory = {
    add: memory.add,
    read: () => Promise.reject(new Error('away')),
  };
  const { governor, pass } = open({ limit: FREE_COST / 10, history: broken });
  governor.stretch();
  await new Promise(setImmediate);
  pass(24);
  expect(governor.stretch()).toBeGreaterThan(10);
});

test('the aging clock begins at the monotonic one, never goes back, and is slower by the stretch', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 10 });
  expect(governor.now()).toBe(0);
  let before = governor.now();
  pass(3 * 24, () => {
    expect(governor.now()).toBeGreaterThanOrEqual(before);
    before = governor.now();
  });
  const stretch = governor.stretch();
  before = governor.now();
  world.now += 30_000;
  expect(governor.now() - before).toBeCloseTo(30_000 / stretch, 3);
});

test('after the first day the stretch moves by a quarter an hour at most', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 5 });
  const moves: number[] = [];
  let before = { at: 0, stretch: 0 };
  pass(10 * 24, () => {
    if (world.now - START <= 25 * HOUR || world.now - before.at < HOUR) return;
    const stretch = governor.stretch();
    if (before.at > 0) moves.push(Math.max(stretch / before.stretch, before.stretch / stretch));
    before = { at: world.now, stretch };
  });
  expect(moves.length).toBeGreaterThan(190);
  expect(Math.max(...moves)).toBeLessThanOrEqual(1.25);
});

test('units that were bought are used at once', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 10 });
  pass(6 * 24);
  const before = governor.stretch();
  expect(before).toBeGreaterThan(10);
  world.limit = FREE_COST;
  world.now += MINUTE;
  expect(governor.stretch()).toBe(1);
  world.limit = FREE_COST / 10;
  world.now += MINUTE;
  expect(governor.stretch()).toBeGreaterThan(before / 2);
});

test('spending by others raises the stretch only slowly', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 4 });
  pass(6 * 24);
  const before = governor.stretch();
  world.elsewhere += FREE_COST / 20;
  world.now += MINUTE;
  expect(governor.stretch() / before).toBeLessThan(1.01);
  pass(24);
  expect(governor.stretch() / before).toBeGreaterThan(1.2);
});

test('if somebody else takes nearly everything at once, the rest still lasts until the end', () => {
  const { governor, world, pass } = open({ limit: FREE_COST });
  pass(10 * 24);
  world.elsewhere = FREE_COST - world.used - FREE_COST / 10;
  const days: number[] = [];
  for (let day = 10; day < 30; day += 1) {
    const before = world.used;
    pass(24);
    days.push(world.used - before);
  }
  const left = FREE_COST - world.used - world.elsewhere;
  expect(Math.min(...days)).toBeGreaterThan(FREE_COST / 1000);
  expect(left / FREE_COST).toBeLessThan(0.01);
  expect(governor.forecast()?.exhaustedAt).toBeNull();
});

test('if possible spending by others leaves nothing for refreshes, the balance is still checked', () => {
  const { world, pass } = open({ limit: FREE_COST });
  pass(10 * 24);
  // The 10 units left are fewer than others may still spend.
  world.elsewhere = FREE_COST - world.used - 10;
  const before = world.used;
  pass(24);
  expect(world.used - before).toBeGreaterThan(3);
});

test('a second month begins with what the first one taught', () => {
  const start = START + 20 * DAY;
  const { governor, world, history, pass } = open({ limit: FREE_COST / 12, start });
  pass(10 * 24);
  const last = governor.stretch();
  const withHistory = open({ limit: FREE_COST / 4, history, start: world.now });
  const withoutHistory = open({ limit: FREE_COST / 4, start: world.now });
  for (const next of [withHistory, withoutHistory]) next.pass(1 / 6);
  Object.assign(world, { limit: FREE_COST / 4, used: 0 });
  pass(1 / 6);
  for (const next of [governor, withHistory.governor]) {
    expect(next.stretch()).toBeGreaterThan(last / 2);
    expect(next.stretch()).toBeLessThan(last * 2);
  }
  expect(withoutHistory.governor.stretch()).toBe(1);
});

test('no result is ever NaN or infinite', () => {
  const request = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    lifetimeMs: fc.constantFrom(0, 1, 30_000, 9e9, Infinity),
    waitedMs: fc.constantFrom(undefined, -5, 0, 1, HOUR, 1e12),
    units: fc.constantFrom(0, 1, 3),
    priority: fc.constantFrom('HIGH', 'NORMAL', 'LOW'),
    passed: fc.constantFrom(0, 1, MINUTE, HOUR, DAY, 40 * DAY),
    left: fc.constantFrom(null, 0, 1, 500, 1e12),
    elsewhere: fc.constantFrom(0, 7, 1e6),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
      const world = { ...ACCOUNT, now: START, left: 500 as number | null, elsewhere: 0, used: 0 };
      const governor = createGovernor({
        meter: 'fx',
        spending: 'even',
        timezone: 'Europe/Istanbul',
        now: () => world.now,
        monotonic: () => world.now - START,
        allowance: () => world,
        history: createMemoryHistory(),
      });
      for (const { passed, left, elsewhere, ...one } of requests) {
        Object.assign(world, { now: world.now + passed, left, elsewhere });
        governor.noteRequest(one);
        const { monthEnd = 0, exhaustedAt = 0 } = governor.forecast() ?? {};
        const numbers = [governor.now(), governor.stretch(), governor.patience('LOW')];
        numbers.push(governor.patience('HIGH'), monthEnd, exhaustedAt ?? 0);
        expect(numbers.every(Number.isFinite)).toBe(true);
        expect(governor.stretch()).toBeGreaterThanOrEqual(1);
      }
    }),
  );
});

test('a burst of new queries at the start stretches nothing if the allowance is large enough', () => {
  const { governor, ask, pass } = open({ limit: 1000 });
  for (let i = 0; i < 60; i += 1) ask(`first ${i}`, { lifetimeMs: DAY });
  const stretches: number[] = [];
  pass(12, () => stretches.push(governor.stretch()), 0);
  expect(Math.max(...stretches)).toBe(1);
});
