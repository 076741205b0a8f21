import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { HOUR, MINUTE } from './emptied-cases.ts';

/** An upstream whose first answer about days has no records, as after a restart, although it is a success. */

const HISTORY = {
  path: '/v1/fx/rates/USDTRY/history',
  query: '{ fxRate(pair: "USDTRY") { history(start: "2026-06-01", end: "2026-09-30") ',
  fields: '{ points { date } } } }',
  again: 5 * MINUTE,
};
const OBSERVATIONS = {
  path: '/v1/macro/series',
  query:
    '{ macroSeries(code: "TP.DK.USD.A") { observations(start: "2023-01-01", end: "2024-06-30") ',
  fields: '{ points { date } } } }',
  again: 6 * HOUR,
};
const CHANGES = {
  path: '/legislation/changes',
  query: '{ legislationChanges(filter: { start: "2026-09-01", end: "2026-10-15" }) ',
  fields: '{ totalCount } }',
  again: 15 * MINUTE,
};
const CASES = { HISTORY, OBSERVATIONS, CHANGES };

/** Takes the records out of every answer about days. */
const empty = ({ sandbox }: Bench, path: string) =>
  sandbox.fault({
    kind: 'rewrite',
    path,
    rewrite: (body) => Object.assign({}, body, { data: [], total: 0 }),
  });

/** How often the upstream is asked about days if a query is repeated for most of a day. */
async function requestsInADay({ ask, sandbox, clock }: Bench, query: string) {
  for (let minutes = 0; minutes < 20 * 60; minutes += 20) {
    await ask(query);
    clock.advance(20 * MINUTE);
  }
  return sandbox.requests().filter(({ path }) => path.includes('start=')).length;
}

describe.each(Object.entries(CASES))('%s', (_name, { path, query, fields, again }) => {
  test('days of which the first answer has no records are soon asked for again', async () => {
    const bench = await open();
    const expected = await (await open()).get(query + fields);
    empty(bench, path);
    expect(await bench.get(query + fields)).not.toEqual(expected);
    bench.sandbox.clearFaults();
    bench.clock.advance(again);
    expect(await bench.get(query + fields)).toEqual(expected);
  });

  test('if the second has none, either, that is believed', async () => {
    const bench = await open();
    empty(bench, path);
    expect(await requestsInADay(bench, query + fields)).toBe(2);
  });
});

test.each([
  [
    'a search',
    '{ legislationChanges(filter: { search: "vergi", start: "2026-09-01", end: "2026-10-15" })',
  ],
  ['a week', '{ legislationChanges(filter: { start: "2026-09-01", end: "2026-09-07" })'],
])('%s that finds nothing is not asked for twice', async (_name, query) => {
  const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  empty(bench, CHANGES.path);
  expect(await requestsInADay(bench, `${query} ${CHANGES.fields}`)).toBe(1);
});
