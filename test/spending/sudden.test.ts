import { expect, test } from 'vitest';
import { DAY, FREE_COST, HOUR, MINUTE, open, START } from './governed.ts';

/** What changes the stretch at once, and what does not. */

test('while nothing is left, the stretch stays: data expire, and requests find out whether there are units again', () => {
  const { governor, world, pass } = open({ limit: FREE_COST / 10 });
  pass(6 * 24);
  const before = governor.stretch();
  world.limit = world.used;
  world.now += 3 * HOUR;
  expect(governor.stretch()).toBe(before);
});

test('if no answer has confirmed a changed allowance for an hour, data are as fresh as configured until one has', () => {
  const { governor, world, ask, pass } = open({ limit: FREE_COST / 10 });
  pass(6 * 24);
  world.limit = world.used + 300;
  world.now += MINUTE;
  const stretch = governor.stretch();
  expect(stretch).toBeGreaterThan(10);
  world.now += HOUR - MINUTE;
  expect(governor.stretch()).toBeGreaterThan(10);
  world.now += MINUTE;
  expect(governor.stretch()).toBe(1);
  expect(ask('never asked')).toBe(true);
  expect(governor.stretch()).toBeGreaterThan(10);
});

test('a sudden rush of requests is saved elsewhere at once', () => {
  const { governor, world, ask, pass } = open({ limit: FREE_COST / 4 });
  pass(6 * 24);
  const before = governor.stretch();
  for (let i = 0; i < 2000; i += 1) ask(`new ${i}`);
  world.now += 2 * MINUTE;
  expect(governor.stretch() / before).toBeGreaterThan(1.5);
});

test('a new month ends at once what the last one had to save, although its allowance is the same', () => {
  const limit = 1.5 * FREE_COST;
  const { governor, world, pass } = open({ limit, start: START + 22 * DAY });
  pass(6 * 24);
  expect(governor.stretch()).toBe(1);
  world.used = limit - 100;
  pass(2 * 24 - 1);
  expect(governor.stretch()).toBeGreaterThan(2);
  world.now += HOUR;
  world.used = 0;
  expect(governor.stretch()).toBe(1);
});
