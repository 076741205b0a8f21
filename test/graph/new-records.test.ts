import { expect, test } from 'vitest';
import { createNewRecords } from '../../src/graph/new-records.ts';
import { fromSecondPollOn } from '../../src/graph/streams.ts';

const record = (id: string, day: number) => ({ id, day });

test('each record is new once, and those of the first poll never', () => {
  const news = createNewRecords();
  expect(news.of([record('a', 10)], 10, false)).toEqual([]);
  expect(news.of([record('a', 10), record('b', 10)], 10, false)).toEqual([record('b', 10)]);
  expect(news.of([record('b', 10)], 10, false)).toEqual([]);
  // It was missing from one poll.
  expect(news.of([record('a', 10), record('b', 10)], 10, false)).toEqual([]);
});

test('records of days before the last poll are neither asked for nor remembered', () => {
  const news = createNewRecords();
  news.of([record('a', 9), record('b', 10)], 10, false);
  expect(news.startOn(11)).toBe(9);
  expect(news.of([record('b', 10)], 11, false)).toEqual([]);
  expect(news.startOn(11)).toBe(10);
  expect(news.of([record('a', 9), record('b', 10)], 11, false)).toEqual([]);
});

test('after days without an answer all that has come since the last one is new, once', () => {
  const news = createNewRecords();
  const [a, b, c, d] = [9, 11, 12, 14].map((day) => record(`of day ${day}`, day));
  news.of([a!], 10, false);
  expect(news.of([a!, b!], 12, true)).toEqual([b]);
  expect(news.startOn(14)).toBe(9);
  expect(news.of([a!, b!, c!, d!], 14, false)).toEqual([c, d]);
  expect(news.of([a!, b!, c!, d!], 14, false)).toEqual([]);
  expect(news.startOn(100)).toBe(60);
});

test('what comes after a first answer that is stale is new', () => {
  const news = createNewRecords();
  expect(news.of([record('a', 10)], 10, true)).toEqual([]);
  expect(news.startOn(12)).toBe(9);
  expect(news.of([record('a', 10), record('b', 11)], 12, false)).toEqual([record('b', 11)]);
});

test('after a clock is put back, days that no poll has covered bring nothing new', () => {
  const news = createNewRecords();
  const [a, b, c, d] = [98, 99, 100, 101].map((day) => record(`of day ${day}`, day));
  news.of([c!, d!], 101, false);
  expect(news.startOn(99)).toBe(98);
  expect(news.of([a!, b!], 99, false)).toEqual([]);
  const e = record('late', 99);
  expect(news.of([a!, b!, e], 99, false)).toEqual([e]);
});

test('a subscriber hears nothing of the first poll that it is told of', () => {
  const events = fromSecondPollOn<string>();
  expect([events(['old']), events(['new']), events([])]).toEqual([[], ['new'], []]);
});
