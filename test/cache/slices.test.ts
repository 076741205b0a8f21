import { describe, expect, test } from 'vitest';
import { MarketError } from '../../src/upstream/errors.ts';
import { daysEvery, open, TODAY } from './last.ts';

/** The last values, if the upstream limits the length of a range. */

describe.each([366, 365, 90, 31])('if the upstream accepts at most %i days', (longest) => {
  test.each([
    ['few', 3, 30, 4],
    ['many', 40, 30, 45],
    ['few of a daily series', 5, 1, 2],
    ['more than there are', 500, 30, 210],
  ])('the last values are found: %s', async (_how, count, step, months) => {
    const days = daysEvery(step, 200);
    const { last, asked, warnings } = open(days, longest);
    expect(await last(count)).toEqual(days.slice(-count));
    for (const { start, end } of asked) expect(end - start).toBeLessThan(longest);
    expect(asked.length).toBeLessThanOrEqual(2 + (months * 30) / Math.min(longest, 365) + 2);
    expect(warnings()).toHaveLength(count > 200 ? 1 : 0);
    const before = asked.length;
    expect(await last(count)).toEqual(days.slice(-count));
    expect(asked).toHaveLength(before);
  });

  test('cached values do not hide the rest', async () => {
    const days = daysEvery(1, 500).filter((day) => day % 7 > 1);
    const { last, warnings } = open(days, longest);
    for (const count of [5, 60, 300, 40, 350])
      expect(await last(count)).toEqual(days.slice(-count));
    expect(await last(20, TODAY - 200)).toEqual(
      days.filter((day) => day <= TODAY - 200).slice(-20),
    );
    expect(await last(5, TODAY + 30_000)).toEqual(days.slice(-5));
    expect(warnings()).toEqual([]);
  });

  test('expired values are refreshed, however many are cached', async () => {
    const days = daysEvery(1, 800);
    const { last, world, isStale, forget } = open(days, longest);
    expect(await last(700)).toEqual(days.slice(-700));
    world.now += 20;
    forget();
    expect(await last(700)).toEqual(days.slice(-700));
    expect(isStale()).toBe(false);
  });

  test('the last values of a series that ended a year ago are found', async () => {
    const days = daysEvery(30, 40).map((day) => day - 350);
    const { last, warnings } = open(days, longest);
    expect([await last(5), warnings()]).toEqual([days.slice(-5), []]);
  });

  test('a series without values costs a limited number of requests, and the client is warned', async () => {
    const { last, asked, warnings } = open([], longest);
    expect(await last(5)).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(13);
    expect(warnings()).toMatchObject([{ dataset: 'test', count: 5 }]);
    const before = asked.length;
    expect(await last(5)).toEqual([]);
    expect(asked).toHaveLength(before);
  });
});

test('values are found although the upstream refuses ranges before a certain day', async () => {
  const days = daysEvery(30, 60);
  const { last, warnings } = open(days, Infinity, TODAY - 900);
  expect(await last(100)).toEqual(days.filter((day) => day >= TODAY - 890));
  expect(warnings()).toHaveLength(1);
});

test('if even a short range is refused, the refusal is reported', async () => {
  const { last } = open(daysEvery(30, 200), 0);
  await expect(last(5)).rejects.toThrow(MarketError);
});

test('old values are served if the upstream refuses everything', async () => {
  const days = daysEvery(30, 200);
  const { last, limit, world, isStale } = open(days, 500);
  expect(await last(20)).toEqual(days.slice(-20));
  limit(0);
  world.now += 20;
  expect(await last(20)).toEqual(days.slice(-20));
  expect(isStale()).toBe(true);
});
