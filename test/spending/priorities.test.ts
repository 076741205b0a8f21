import { expect, test } from 'vitest';
import { DAY, FREE_COST, MINUTE, START, open } from './governed.ts';

/** Three clients query two keys each, all alike, for some days; free spending takes FREE_COST * 6 / 5. */
function share(limit: number, days: number, start = START) {
  const opened = open({ limit, start });
  const asked = (['HIGH', 'NORMAL', 'LOW'] as const).flatMap((priority) => [
    { priority, key: `${priority} 1` },
    { priority, key: `${priority} 2` },
  ]);
  const askAll = (): void => {
    for (const { key, priority } of asked)
      if (opened.draw.chance(0.2)) opened.ask(key, { priority });
  };
  opened.pass(days * 24, askAll, 0);
  return opened.governor;
}

function stretches(part: number): number[] {
  const { patience, stretch } = share(FREE_COST * 1.2 * part, 3);
  return (['HIGH', 'NORMAL', 'LOW'] as const).map((priority) => patience(priority) * stretch());
}

test.each([0.6, 0.4, 0.25])(
  'with %d of what is needed, important clients are stretched last',
  (part) => {
    const [high = 0, normal = 0, low = 0] = stretches(part);
    expect(low).toBeGreaterThan(normal);
    expect(normal).toBeGreaterThanOrEqual(high);
  },
);

test('if almost nothing is left, all are stretched', () => {
  const [high = 0, normal = 0, low = 0] = stretches(0.05);
  expect(low).toBeGreaterThan(normal);
  expect(normal).toBeGreaterThan(high);
  expect(high).toBeGreaterThan(1);
});

test('whatever the priorities, nearly all units are used by the end of the month', () => {
  const governor = share(FREE_COST / 15, 5.5, START + 24 * DAY);
  expect(governor.stretch()).toBeGreaterThan(1);
  expect(governor.forecast()!.monthEnd).toBeGreaterThan(FREE_COST * 0.06);
});

test('the longest stretch falls when units were bought, although that of most clients was 1 all the time', () => {
  const { governor, world, ask, pass, draw } = open({ limit: 1.6 * FREE_COST });
  const askLow = () => {
    for (let key = 0; key < 5; key += 1)
      if (draw.chance(0.2)) ask(`low ${key}`, { priority: 'LOW' });
  };
  pass(6 * 24, askLow);
  expect(governor.stretch()).toBe(1);
  expect(governor.longestStretch()).toBeGreaterThan(1.5);
  world.limit = 5 * FREE_COST;
  world.now += MINUTE;
  expect(governor.longestStretch()).toBe(1);
});
