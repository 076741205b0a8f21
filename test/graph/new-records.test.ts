import { expect, test } from 'vitest';
import { createNewRecords } from '../../src/graph/new-records.ts';
import { fromSecondPollOn } from '../../src/graph/streams.ts';

const record = (id: string, day: number) => ({ id, day });

test('each record is new once, and those of the first poll never', () => {
  const newRecords = createNewRecords();
  expect(newRecords([record('a', 10)], 9)).toEqual([]);
  expect(newRecords([record('a', 10), record('b', 10)], 9)).toEqual([record('b', 10)]);
  expect(newRecords([record('b', 10)], 9)).toEqual([]);
  // It was missing from one poll.
  expect(newRecords([record('a', 10), record('b', 10)], 9)).toEqual([]);
});

test('only records of the days that are polled are remembered', () => {
  const newRecords = createNewRecords();
  newRecords([record('a', 10), record('b', 11)], 10);
  expect(newRecords([], 11)).toEqual([]);
  // It is of a day before, of which nothing is remembered: it is not taken for new.
  expect(newRecords([record('a', 10), record('b', 11)], 11)).toEqual([]);
});

test('after a clock is put back, days that no poll has covered bring nothing new', () => {
  const newRecords = createNewRecords();
  const [a, b, c, d] = [98, 99, 100, 101].map((day) => record(`of day ${day}`, day));
  newRecords([a!, b!], 98);
  newRecords([c!, d!], 100);
  expect(newRecords([a!, b!], 98)).toEqual([]);
  const e = record('late', 99);
  expect(newRecords([a!, b!, e], 98)).toEqual([e]);
});

test('a subscriber hears nothing of the first poll that it is told of', () => {
  const events = fromSecondPollOn<string>();
  expect([events(['old']), events(['new']), events([])]).toEqual([[], ['new'], []]);
});
