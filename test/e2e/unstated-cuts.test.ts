import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream may send only so many records and not say so: a widened request must not cost a question its answer. */

const MOST = 50;
/** How long recent days of the calendar stay fresh. */
const TTL_MS = 300_000;

interface List {
  list: { totalCount: number };
}

/** Sends the first records only, and the number of those as the total. */
function firstOnly(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const sent = data.slice(0, MOST);
  return { ...rest, ...('total' in rest ? { total: sent.length } : {}), data: sent };
}

test.each([
  ['/calendar/events', 'calendarEvents(filter: { start: "2026-11-20", end: "2026-11-24" })'],
  [
    '/legislation/changes',
    'legislationChanges(filter: { start: "2026-09-01", end: "2026-09-10" })',
  ],
])('%s', async (path, field) => {
  const query = `{ list: ${field} { totalCount } }`;
  const whole = await (await open()).get<List>(query);
  const bench = await open();
  bench.sandbox.fault({ kind: 'rewrite', path, rewrite: firstOnly });
  // Lets the gateway learn that the line is fast, so that the next request is widened.
  await bench.ask('{ cryptoAssets { totalCount } }');
  const before = bench.sandbox.spent().credits;
  expect(await bench.get(query)).toEqual(whole);
  expect(whole.list.totalCount).toBeGreaterThan(0);
  expect(bench.sandbox.spent().credits - before).toBe(2);
  expect(await bench.cost(query)).toBe(0);
});

test('the request after one that was cut is short enough not to be cut, too', async () => {
  const query = `{ list: calendarEvents(filter: { start: "2026-11-14", end: "2026-11-18" }) { totalCount } }`;
  const whole = await (await open()).get<List>(query);
  const bench = await open();
  bench.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar/events',
    rewrite: (body) => firstOnly({ ...Object(body), data: Object(body).data.toReversed() }),
  });
  await bench.ask('{ cryptoAssets { totalCount } }');
  expect(await bench.cost(query)).toBe(2);
  for (let i = 0; i < 3; i += 1) {
    bench.clock.advance(TTL_MS);
    expect(await bench.cost(query)).toBe(1);
    expect(await bench.get(query)).toEqual(whole);
  }
});

test('days between those of two questions are widening, too', async () => {
  const field = (start: string, end: string) =>
    `legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount }`;
  const query = `{ list: ${field('2026-04-07', '2026-04-09')} late: ${field('2026-09-08', '2026-09-09')} }`;
  const whole = await (await open()).get<List & { late: List['list'] }>(query);
  const bench = await open();
  bench.sandbox.fault({ kind: 'rewrite', path: '/legislation/changes', rewrite: firstOnly });
  await bench.ask('{ cryptoAssets { totalCount } }');
  expect(await bench.get(query)).toEqual(whole);
  expect(whole.list.totalCount * whole.late.totalCount).toBeGreaterThan(0);
  expect(await bench.cost(query)).toBe(0);
});
