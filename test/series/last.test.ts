import { describe, expect, test } from 'vitest';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { rows } from '../shared/stored.ts';
import { allUpTo, history, observations, pathOf, RATE, seriesOf, TODAY } from './last.ts';

/** `history(last)` and `observations(last)`: the last values, for the fewest requests. */

/** Returns how many requests for values a query sends. */
async function requestsFor(bench: Bench, query: string): Promise<number> {
  const isSeries = ({ path }: { path: string }) => /history|\/series\//.test(path);
  const before = bench.sandbox.requests().filter(isSeries).length;
  await bench.get(query);
  return bench.sandbox.requests().filter(isSeries).length - before;
}

const [DAILY, WEEKLY, MONTHLY] = ['TP.BRENT.SPOT', 'TP.KTF10', 'TP.FG.J0'];

describe('the values', () => {
  test.each([1, 5, 30, 251, 1000, 10_000])('are the last %i of a pair', async (last) => {
    const bench = await open();
    const wanted = allUpTo(bench, RATE, TODAY).slice(-last);
    const { start, end, points } = await seriesOf(bench, history(`last: ${last}`));
    expect(points).toEqual(wanted);
    expect([start, end]).toEqual([wanted[0]?.date, TODAY]);
  });

  test.each([
    [DAILY, 40],
    [WEEKLY, 60],
    [MONTHLY, 12],
    [MONTHLY, 500],
  ])('are the last of the macro series %s: %i', async (code, last) => {
    const bench = await open();
    const wanted = allUpTo(bench, pathOf(code), TODAY).slice(-last);
    expect((await seriesOf(bench, observations(code, `last: ${last}`))).points).toEqual(wanted);
  });

  test('end on a past day, on a holiday, or on a future day', async () => {
    const bench = await open();
    for (const end of ['2020-02-29', '2026-11-15', '2027-06-01', '2100-01-01']) {
      const upTo = end < TODAY ? end : TODAY;
      const found = await seriesOf(bench, history(`last: 7, end: "${end}"`));
      expect(found.points).toEqual(allUpTo(bench, RATE, upTo).slice(-7));
      expect(found.end).toBe(end);
    }
  });

  test('are none if there are none, and the range is then its last day', async () => {
    const bench = await open();
    const found = await seriesOf(bench, history('last: 3, end: "2001-05-05"'));
    expect(found).toEqual({ start: '2001-05-05', end: '2001-05-05', points: [] });
    expect(await requestsFor(bench, history('last: 3, end: "2001-05-05"'))).toBe(0);
  });
});

describe('the requests', () => {
  test('are one if the frequency is known, and none when repeated', async () => {
    const bench = await open();
    expect(await requestsFor(bench, history('last: 250'))).toBe(1);
    expect(await requestsFor(bench, history('last: 250'))).toBe(0);
    expect(await requestsFor(bench, history('last: 10'))).toBe(0);
    expect(await requestsFor(bench, history('start: "2026-02-02"'))).toBe(0);
    // The first request reached back beyond a year, and so was widened to ten years.
    expect(await requestsFor(bench, history('last: 1000'))).toBe(0);
  });

  test.each([
    [DAILY, 1000],
    [WEEKLY, 200],
    [MONTHLY, 24],
  ])(
    'are one even if the frequency is not known, unless the series is young: %s',
    async (code, last) => {
      const bench = await open();
      expect(await requestsFor(bench, observations(code, `last: ${last}`))).toBe(1);
      expect(await requestsFor(bench, observations(code, `last: ${last}`))).toBe(0);
    },
  );

  test('are two if a daily series is younger than asked for, and none when repeated', async () => {
    const bench = await open();
    expect(await requestsFor(bench, history('last: 9000'))).toBe(2);
    expect(await requestsFor(bench, history('last: 9000'))).toBe(0);
    expect(await requestsFor(bench, history('last: 8000, end: "2026-11-19"'))).toBe(0);
  });

  test('are one for a series known to be monthly, however young it is', async () => {
    const bench = await open();
    await bench.get(observations(MONTHLY, 'start: "2026-05-01"'));
    expect(await requestsFor(bench, observations(MONTHLY, 'last: 1000'))).toBe(1);
  });

  test('are one past the time to live, even if the series is young', async () => {
    const bench = await open();
    await bench.get(history('last: 9000'));
    bench.clock.advance(2 * 86_400_000);
    expect(await requestsFor(bench, history('last: 9000'))).toBe(1);
  });

  test('are none if a range that was asked for holds the values', async () => {
    const bench = await open();
    await bench.get(history('start: "2024-01-01", end: "2024-12-31"'));
    expect(await requestsFor(bench, history('last: 20, end: "2024-12-31"'))).toBe(0);
    expect(await requestsFor(bench, history('last: 20, end: "2024-06-30"'))).toBe(0);
  });

  test('are one for all ranges and last values of an operation', async () => {
    const bench = await open();
    const query = `{ fxRate(pair: "USDTRY") { a: history(last: 5) { end } b: history(last: 300) { end }
      c: history(start: "2026-01-01") { end } } node(id: "FxRate:USDTRY") { ... on FxRate { history(last: 90) { end } } } }`;
    expect(await requestsFor(bench, query)).toBe(1);
  });

  test('are one for operations at the same time', async () => {
    const bench = await open();
    const queries = [history('last: 5'), history('last: 100'), history('start: "2026-01-01"')];
    await Promise.all(queries.map((query) => bench.get(query)));
    expect(bench.sandbox.requests()).toHaveLength(2);
  });

  test('for other series are not widened by it', async () => {
    const bench = await open();
    await bench.get(observations(MONTHLY, 'last: 200'));
    await bench.get(observations(DAILY, 'start: "2026-11-01"'));
    expect(bench.sandbox.requests().at(-1)?.path).toContain('start=2025-11-19');
  });
});

test('stale values are served, marked as such, if the upstream is down', async () => {
  const bench = await open();
  const query = `{ fxRate(pair: "USDTRY") { history(last: 9) { points { value } provenance { stale } } } }`;
  const fresh = await bench.get<{ fxRate: { history: object } }>(query);
  bench.clock.advance(400_000);
  bench.sandbox.fault({ kind: 'status', status: 503 });
  const { data } = await bench.ask(query);
  const old = { ...fresh.fxRate.history, provenance: { stale: true } };
  expect(data).toEqual({ fxRate: { history: old } });
});

describe('a frequency', () => {
  test('is derived from the values, and sends no request by itself', async () => {
    const bench = await open();
    const query = `{ macroSeries(code: "${MONTHLY}") { frequency } }`;
    expect(await bench.get(query)).toEqual({ macroSeries: { frequency: null } });
    expect(bench.sandbox.requests()).toHaveLength(1);
    await bench.get(observations(MONTHLY, 'last: 3'));
    expect(await bench.get(query)).toEqual({ macroSeries: { frequency: 'MONTHLY' } });
    expect(bench.sandbox.requests()).toHaveLength(2);
  });

  test.each([
    [DAILY, 'DAILY'],
    [WEEKLY, 'WEEKLY'],
    [MONTHLY, 'MONTHLY'],
  ])('of %s is %s, derived from the values of the same operation', async (code, frequency) => {
    const { get } = await open();
    expect(await get(observations(code, 'last: 12'))).toMatchObject({ macroSeries: { frequency } });
  });

  test('outlives a restart', async () => {
    const DATA_DIR = temporaryFolder();
    const bench = await open({ env: { DATA_DIR } });
    await bench.get(observations(WEEKLY, 'last: 8'));
    const isStored = () => rows(DATA_DIR) >= bench.sandbox.requests().length;
    await expect.poll(isStored).toBe(true);
    const { get, cost } = await bench.another({ DATA_DIR });
    const query = `{ macroSeries(code: "${WEEKLY}") { frequency } }`;
    expect(await get(query)).toEqual({ macroSeries: { frequency: 'WEEKLY' } });
    bench.clock.advance(86_400_000);
    expect(await cost(observations(WEEKLY, 'last: 1000'))).toBeLessThanOrEqual(2);
  });
});
