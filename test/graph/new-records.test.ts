import { expect, test } from 'vitest';
import { createNewRecords } from '../../src/graph/new-records.ts';
import { fromSecondPollOn } from '../../src/graph/streams.ts';
import { type FailureCode, MarketError } from '../../src/upstream/errors.ts';

const record = (id: string, day: number) => ({ id, day });

/** The records that polls find new, and the first day that the last poll asked for. */
function openNews() {
  const news = createNewRecords();
  const asked = { from: NaN };
  const find = (records: ReturnType<typeof record>[], today: number, isStale = false) =>
    news.poll(today, async (start) => {
      asked.from = start;
      return { records, isStale };
    });
  /** Fails if more than `most` days are asked for. */
  const refuseOver = (code: FailureCode, most: number, today: number) =>
    news.poll(today, async (start) => {
      asked.from = start;
      if (today - start >= most) throw new MarketError(code);
      return { records: [record('last', today)], isStale: false };
    });
  return { asked, find, refuseOver };
}

test('each record is new once, and those of the first poll never', async () => {
  const { find } = openNews();
  expect(await find([record('a', 10)], 10)).toEqual([]);
  expect(await find([record('a', 10), record('b', 10)], 10)).toEqual([record('b', 10)]);
  expect(await find([record('b', 10)], 10)).toEqual([]);
  // It was missing from one poll.
  expect(await find([record('a', 10), record('b', 10)], 10)).toEqual([]);
});

test('records of days before the last poll are neither asked for nor remembered', async () => {
  const { asked, find } = openNews();
  await find([record('a', 9), record('b', 10)], 10);
  expect(await find([record('b', 10)], 11)).toEqual([]);
  expect(asked.from).toBe(9);
  expect(await find([record('a', 9), record('b', 10)], 11)).toEqual([]);
  expect(asked.from).toBe(10);
});

test('records of days before are new if two answers in a row have covered these', async () => {
  const news = createNewRecords();
  const find = (records: ReturnType<typeof record>[], from?: number) =>
    news.poll(10, async () => ({ records, isStale: false, ...(from !== undefined && { from }) }));
  const [a, b, c] = [record('a', 4), record('b', 5), record('c', 9)];
  expect(await find([a], 3)).toEqual([]);
  expect(await find([a, b], 3)).toEqual([b]);
  expect(await find([c])).toEqual([c]);
  expect(await find([a, b, c, record('d', 6)], 3)).toEqual([]);
  expect(await find([record('e', 6)], 3)).toEqual([record('e', 6)]);
});

test('after days without an answer, everything since the last one is new, once, the earliest first', async () => {
  const { asked, find } = openNews();
  const [a, b, c, d] = [9, 11, 12, 14].map((day) => record(`of day ${day}`, day));
  await find([a!], 10);
  expect(await find([a!, b!], 12, true)).toEqual([b]);
  expect(await find([d!, c!, b!, a!], 14)).toEqual([c, d]);
  expect(asked.from).toBe(9);
  expect(await find([a!, b!, c!, d!], 14)).toEqual([]);
  await find([], 100);
  expect(asked.from).toBe(60);
});

test('if the days since the last answer are refused, only the usual ones are requested', async () => {
  const { asked, find, refuseOver } = openNews();
  await find([], 10);
  await expect(refuseOver('UPSTREAM_UNAVAILABLE', 2, 20)).rejects.toThrow(MarketError);
  expect(asked.from).toBe(9);
  expect(await refuseOver('BAD_USER_INPUT', 2, 20)).toEqual([record('last', 20)]);
  expect(asked.from).toBe(19);
  await expect(refuseOver('BAD_USER_INPUT', 1, 20)).rejects.toThrow(MarketError);
});

test('records refused for a moment are reported later; days refused five times in a row are not requested again', async () => {
  const { asked, find, refuseOver } = openNews();
  await find([], 10);
  for (let i = 0; i < 4; i += 1) await refuseOver('BAD_USER_INPUT', 2, 20);
  expect(await find([record('a', 12), record('last', 20)], 20)).toEqual([record('a', 12)]);
  for (let i = 0; i < 5; i += 1) await refuseOver('BAD_USER_INPUT', 2, 40);
  expect(await find([], 40)).toEqual([]);
  expect(asked.from).toBe(39);
});

test('records that arrive after a stale first answer are new', async () => {
  const { asked, find } = openNews();
  expect(await find([record('a', 10)], 10, true)).toEqual([]);
  expect(await find([record('a', 10), record('b', 11)], 12)).toEqual([record('b', 11)]);
  expect(asked.from).toBe(9);
});

test('after a clock is set back, days that no poll has covered bring nothing new', async () => {
  const { asked, find } = openNews();
  const [a, b, c, d] = [98, 99, 100, 101].map((day) => record(`of day ${day}`, day));
  await find([c!, d!], 101);
  expect(await find([a!, b!], 99)).toEqual([]);
  expect(asked.from).toBe(98);
  const e = record('late', 99);
  expect(await find([a!, b!, e], 99)).toEqual([e]);
});

test('a subscriber gets no events from its first poll', () => {
  const events = fromSecondPollOn<string>();
  expect([events(['old']), events(['new']), events([])]).toEqual([[], ['new'], []]);
});
