import { expect, test } from 'vitest';
import { open, timeoutFor } from '../harness.ts';
import { change } from './change.ts';

/** Well-formed answers that are of little use: they cost their own units, and nothing known before is lost. */

const HOUR = 3_600_000;
const CRYPTO = '/crypto/prices';

test.each([
  ['an empty list', () => []],
  ['a list whose ranks have a gap', (list: object[]) => list.filter((_, i) => i !== 2)],
])(
  'if few assets are asked for, %s is requested again, but only once per time to live',
  async (_, edit) => {
    const bench = await open();
    const query = '{ cryptoAssets(first: 5) { nodes { symbol } } }';
    await bench.get('{ cryptoAsset(symbol: "BTC") { price } }');
    change(bench, CRYPTO, edit);
    for (let i = 0; i < 6; i += 1) {
      bench.clock.advance(31_000);
      expect(await bench.cost(query)).toBe(1);
    }
    bench.sandbox.clearFaults();
    bench.clock.advance(7 * HOUR);
    const { cryptoAssets } = await bench.get<{ cryptoAssets: { nodes: object[] } }>(query);
    expect(cryptoAssets.nodes).toHaveLength(5);
  },
);

test('a field `total` counts only in answers about legislation', async () => {
  const bench = await open();
  bench.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar',
    rewrite: (body) => Object.assign({}, body, { total: 99_999 }),
  });
  const range = 'filter: { start: "2026-10-01", end: "2027-03-01" }';
  const query = `{ calendarEvents(first: 1, ${range}) { totalCount } }`;
  const { calendarEvents } = await bench.get<{ calendarEvents: { totalCount: number } }>(query);
  expect(calendarEvents.totalCount).toBeGreaterThan(0);
  expect(await bench.cost(query)).toBe(0);
});

const SERIES = 'macroSeries(code: "TP.DK.USD.A")';

test.each([
  ['start: "2026-06-01"', {}],
  ['start: "1990-01-01", end: "2026-11-10"', {}],
  ['start: "2026-06-01", end: "2026-11-01"', { WIDEN_MAX_BYTES: '0' }],
])(
  'a value that is published weeks after its day is seen with the next refresh: %s',
  async (range, env) => {
    const bench = await open({ env });
    const months = ['2026-06-01', '2026-07-01', '2026-08-01', '2026-09-01'];
    bench.sandbox.fault({
      kind: 'rewrite',
      path: '/v1/macro/series/',
      rewrite(body, path) {
        const [, start = '', end = ''] = /start=([\d-]+)&end=([\d-]+)/.exec(path) ?? [];
        const asked = months.filter((date) => date >= start && date <= end);
        return Object.assign({}, body, { data: asked.map((date, value) => ({ date, value })) });
      },
    });
    const latest = `{ ${SERIES} { observations(${range}) { latest { date } } } }`;
    await bench.get(latest);
    months.push('2026-10-01');
    bench.clock.advance(2 * HOUR);
    const found = { latest: { date: '2026-10-01' } };
    expect(await bench.get(latest)).toEqual({ macroSeries: { observations: found } });
    expect(await bench.get(`{ ${SERIES} { observations(last: 1) { latest { date } } } }`)).toEqual({
      macroSeries: { observations: found },
    });
  },
);

test('weekend days, on which no value is due, are settled like other days', async () => {
  const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  // Ranges of several weeks and of one week, both up to a Sunday.
  for (const start of ['2026-10-01', '2026-11-02']) {
    const query = `{ ${SERIES} { observations(start: "${start}", end: "2026-11-08") { mean } } }`;
    await bench.get(query);
    bench.clock.advance(2 * HOUR);
    expect(await bench.cost(query)).toBe(0);
  }
});

test.each(['0', undefined])(
  'a range costs no more if parts of it are cached (WIDEN_MAX_BYTES=%s)',
  async (bytes) => {
    const bench = await open({ env: bytes === undefined ? {} : { WIDEN_MAX_BYTES: bytes } });
    for (const day of ['2026-10-25', '2026-11-03', '2026-11-10'])
      await bench.get(
        `{ legislationChanges(filter: { start: "${day}", end: "${day}" }) { totalCount } }`,
      );
    const range = 'filter: { start: "2026-10-01" }';
    expect(await bench.cost(`{ legislationChanges(${range}) { totalCount } }`)).toBeLessThanOrEqual(
      1,
    );
  },
);

test('answers about legislation that were cut short once are not assumed to be so forever', async () => {
  const bench = await open();
  const rewrite = (body: unknown) => Object.assign({}, body, { total: 99_999 });
  bench.sandbox.fault({ kind: 'rewrite', path: '/legislation/changes', rewrite });
  const of = (type: string) =>
    `{ legislationChanges(filter: { types: [${type}] }) { totalCount } }`;
  await bench.get(of('LAW'));
  bench.sandbox.clearFaults();
  bench.clock.advance(25 * HOUR);
  let units = 0;
  for (const type of ['LAW', 'COMMUNIQUE', 'CIRCULAR', 'REGULATION'])
    units += await bench.cost(of(type));
  expect(units).toBe(1);
});

const historyOf = (range: string) =>
  `{ fxRate(pair: "USDTRY") { history(${range}) { points { date } } } }`;
const OCTOBER = historyOf('start: "2026-10-01", end: "2026-10-30"');

interface History {
  fxRate: { history: { points: object[] } };
}

const withoutValue = (record: object) => ({ ...record, value: null });

test('an answer without any readable record does not settle its days', async () => {
  const bench = await open();
  change(bench, '/v1/fx/rates/', (records) => records.map(withoutValue));
  const { data, extensions } = await bench.ask<History>(OCTOBER);
  expect(data?.fxRate.history.points).toEqual([]);
  expect(extensions.warnings).toHaveLength(1);
  bench.sandbox.clearFaults();
  bench.clock.advance(HOUR);
  expect((await bench.get<History>(OCTOBER)).fxRate.history.points).toHaveLength(21);
});

test('an answer with one unreadable record costs no more than others', async () => {
  const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  change(bench, '/v1/fx/rates/', (records) =>
    records.map((record) => (record['date'] === '2024-10-04' ? withoutValue(record) : record)),
  );
  const from = 'start: "2024-10-01", end: "2024-10-30"';
  await bench.ask(historyOf(from));
  const asked = () =>
    bench.sandbox.requests().filter(({ path }) => path.includes('history')).length;
  for (let i = 0; i < 3; i += 1) {
    bench.clock.advance(2 * HOUR);
    await bench.ask(historyOf(from));
  }
  expect(asked()).toBe(1);
});

test('a range whose middle is cached is requested in parts if the whole is refused', async () => {
  const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
  const path = (text: string) => {
    const [, start = '', end = ''] = /start=([\d-]+)&end=([\d-]+)/.exec(text) ?? [];
    return Date.parse(end) - Date.parse(start) > 366 * 24 * HOUR;
  };
  bench.sandbox.fault({ kind: 'status', status: 422, group: 'A', path });
  await bench.get(historyOf('start: "2024-01-01", end: "2024-12-31"'));
  const long = historyOf('start: "2023-07-01", end: "2025-06-30"');
  expect((await bench.get<History>(long)).fxRate.history.points.length).toBeGreaterThan(500);
});

test('a field that needs the whole list retries it, even if one that needs less started the request', async () => {
  const bench = await open({ env: timeoutFor('hang') });
  bench.sandbox.fault({ kind: 'hang', times: 1, path: CRYPTO });
  const whole = 'cryptoAssets(orderBy: { field: CHANGE_24H }, first: 3) { nodes { symbol } }';
  const { data, errors } = await bench.ask<{ whole: { nodes: object[] } }>(
    `{ one: cryptoAsset(symbol: "BTC") { symbol } whole: ${whole} }`,
  );
  expect(errors).toEqual([]);
  expect(data?.whole.nodes).toHaveLength(3);
});
