import { expect, test } from 'vitest';
import { open, timeoutFor } from '../harness.ts';
import { CALENDAR, calendar, isFiltered, lastPath, openLate, PAUSE_MS, slowDown } from './late.ts';

/** For how long, and of which events, it is remembered that those of a range do not come in time. */

const TURKISH = `{ ${calendar(`${CALENDAR.range}, countries: ["TR"]`)} }`;
const HIGH = `{ ${calendar(`${CALENDAR.range}, importance: [HIGH]`)} }`;

/** About 52 days, in two halves that come in time. */
const HALVES = ['start: "2026-11-20", end: "2026-12-15"', 'start: "2026-12-16", end: "2027-01-10"'];
const answerOf = (filter: string) =>
  `{ calendarEvents(filter: { ${filter} }) { provenance { stale retrievedAt } } }`;
interface Answer {
  calendarEvents: { provenance: { stale: boolean; retrievedAt: string } };
}

test('events of a late range are filtered by the upstream even if old ones are cached', async () => {
  const bench = await open({ env: timeoutFor('hang') });
  await bench.get(`{ ${calendar(CALENDAR.range)} }`);
  bench.clock.advance(3_600_000);
  slowDown(bench);
  const question = answerOf(`${CALENDAR.range}, ${CALENDAR.filter}`);
  const { calendarEvents } = await bench.get<Answer>(question);
  expect(calendarEvents.provenance.stale).toBe(false);
  expect(lastPath(bench)).toBe(CALENDAR.path);
});

test('the latest of old events of a late range are served if the upstream fails', async () => {
  const bench = await openLate(30);
  const { get, cost, clock, sandbox } = bench;
  const question = answerOf('start: "2026-11-20", end: "2027-01-10", countries: ["TR"]');
  await cost(question);
  clock.advance(PAUSE_MS);
  for (const half of HALVES) await cost(answerOf(half));
  const { calendarEvents: all } = await get<Answer>(answerOf(HALVES[0]!));
  clock.advance(600_000);
  sandbox.clearFaults();
  sandbox.fault({ kind: 'status', status: 503 });
  const before = sandbox.requests().length;
  const { calendarEvents } = await get<Answer>(question);
  expect(calendarEvents.provenance).toEqual({ ...all.provenance, stale: true });
  expect(
    sandbox
      .requests()
      .slice(before)
      .map(({ path }) => isFiltered(path)),
  ).not.toContain(false);
});

test('shorter ranges that fail along with a late one are not taken to be late', async () => {
  const bench = await openLate(30);
  const { ask, cost, clock } = bench;
  const { fewDays, others } = CALENDAR;
  expect((await ask(`{ ${calendar(CALENDAR.range)} }`)).errors).toHaveLength(1);
  await cost(`{ ${calendar(`${fewDays}, ${others[0]}`)} }`);
  expect(isFiltered(lastPath(bench)!)).toBe(true);
  clock.advance(PAUSE_MS);
  await cost(`{ ${calendar(`${fewDays}, ${others[1]}`)} }`);
  expect(isFiltered(lastPath(bench)!)).toBe(false);
});

test('once a late range comes in time, it is requested all together again', async () => {
  const { cost, clock, sandbox } = await openLate();
  const ahead = (filter: string) => answerOf(`start: "2026-11-20", end: "2027-01-10"${filter}`);
  await cost(ahead(', countries: ["TR"]'));
  sandbox.clearFaults();
  clock.advance(PAUSE_MS);
  expect(await cost(ahead(''))).toBe(1);
  clock.advance(900_000);
  expect(await cost(ahead(', importance: [HIGH]'))).toBe(1);
  expect(await cost(ahead(', currencies: ["EUR"]'))).toBe(0);
});

test('events of a late range are requested all together again after an hour', async () => {
  const bench = await openLate();
  const { cost, clock, sandbox } = bench;
  await cost(TURKISH);
  sandbox.clearFaults();
  clock.advance(3_600_000);
  expect(await cost(TURKISH)).toBe(1);
  expect(isFiltered(lastPath(bench)!)).toBe(false);
  expect(await cost(HIGH)).toBe(0);
});

test('events are not filtered by the upstream in an outage, and not after it', async () => {
  const bench = await open({ env: timeoutFor('hang') });
  const { ask, cost, clock, sandbox } = bench;
  sandbox.fault({ kind: 'hang' });
  const { errors } = await ask(TURKISH);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  sandbox.clearFaults();
  clock.advance(PAUSE_MS);
  expect(await cost(TURKISH)).toBe(1);
  expect(sandbox.requests().filter(({ path }) => isFiltered(path))).toEqual([]);
});
