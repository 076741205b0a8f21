import { expect, test } from 'vitest';
import { DAY, FREE_COST, HOUR, MINUTE, open, START } from './governed.ts';

/** What a restarted process derives from the hours before. */

test('a process restarted with the history continues where it was, and changes no faster than before', () => {
  const first = open({ limit: FREE_COST / 4 });
  first.pass(8 * 24);
  const before = first.governor.stretch();
  expect(before).toBeGreaterThan(10);
  for (const limit of [FREE_COST / 4, FREE_COST / 3]) {
    const again = open({ limit, history: first.history, start: first.world.now });
    again.world.used = first.world.used;
    expect(again.governor.stretch() / before).toBeCloseTo(1, 1);
    again.pass(1);
    expect(again.governor.stretch() / before).toBeGreaterThan(0.75);
  }
});

test('a process restarted with another limit applies it at once', () => {
  const first = open({ limit: FREE_COST / 4 });
  first.pass(8 * 24);
  const before = first.governor.stretch();
  const startWith = (limit: number) => {
    const again = open({ limit, history: first.history, start: first.world.now });
    again.world.used = first.world.used;
    return again.governor.stretch();
  };
  expect(startWith(FREE_COST)).toBe(1);
  expect(startWith(FREE_COST / 10)).toBeGreaterThan(3 * before);
});

test('if rows come from a server, a governor that succeeds another one continues like it at once', async () => {
  const { governor: before, pass, history, world } = open({ limit: FREE_COST / 10 });
  pass(5 * 24);
  const slow = {
    ...history,
    read: async (...of: Parameters<typeof history.read>) => history.read(...of),
  };
  const next = open({ limit: FREE_COST / 10 - world.used, start: world.now, history: slow });
  next.governor.stretch();
  await new Promise(setImmediate);
  expect(next.governor.stretch()).toBeGreaterThan(before.stretch() / 2);
});

test('a process restarted after a partly seen hour knows in how short a time its queries came', () => {
  const askFor = ({ world, ask }: ReturnType<typeof open>, seconds: number) => {
    for (let i = 0; i < seconds; i += 1) {
      world.now += 1000;
      ask('key', { lifetimeMs: 1000 });
    }
  };
  const first = open({ limit: 3000, start: START + HOUR - 2 * MINUTE });
  askFor(first, 150);
  const before = first.governor.stretch();
  expect(before).toBeGreaterThan(10);
  const again = open({ limit: 3000, history: first.history, start: first.world.now });
  again.world.used = first.world.used;
  askFor(again, 60);
  expect(again.governor.stretch()).toBeGreaterThan(before / 4);
});

test('a clock that was far ahead for a while and is corrected changes little', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 4 });
  pass(8 * 24);
  const before = governor.stretch();
  world.ahead = 36 * DAY;
  pass(2);
  world.ahead = 0;
  pass(1);
  expect(governor.stretch()).toBeGreaterThan(before / 3);
  expect(governor.stretch()).toBeLessThan(3 * before);
});

test('a process restarted near the end of the month goes on saving, although chance might make the rest suffice', () => {
  const limit = 200;
  const first = open({ limit });
  const askHourly = (hours: number) => {
    for (let passed = 0; passed < hours * HOUR; passed += 2 * MINUTE) {
      first.world.now += 2 * MINUTE;
      if (first.draw.chance(1 / 30)) first.ask('key');
    }
  };
  askHourly(28 * 24);
  for (let hour = 0; hour < 46; hour += 1) {
    askHourly(1);
    if (first.world.used === limit) break;
    const before = first.governor.stretch();
    const again = open({ limit, history: first.history, start: first.world.now });
    again.world.used = first.world.used;
    expect(again.governor.stretch() / before).toBeGreaterThan(0.7);
  }
});

test('a process that cannot read the history at its start resumes the stretch once it can', async () => {
  const limit = FREE_COST / 10;
  const first = open({ limit });
  first.pass(10 * 24);
  const before = first.governor.stretch();
  let failures = 0;
  const unsteady = {
    ...first.history,
    async read(...of: Parameters<typeof first.history.read>) {
      failures += 1;
      if (failures <= 2) throw new Error('the server is away');
      return first.history.read(...of);
    },
  };
  const again = open({ limit, history: unsteady, start: first.world.now });
  again.world.used = first.world.used;
  for (let minute = 0; minute < 10; minute += 1) {
    again.ask(`key ${minute % 5}`);
    again.world.now += MINUTE;
    await new Promise(setImmediate);
  }
  expect(again.governor.stretch()).toBeGreaterThan(before / 2);
});
