import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { candlesOf } from '../../src/studio/page/candles.ts';
import { readDocument } from '../../src/studio/page/operations.ts';
import { flatten } from '../../src/studio/page/row.ts';
import { findLists, findSeries } from '../../src/studio/page/series.ts';
import { allowances, mayExceed } from '../../src/studio/page/allowances.ts';
import { priceInWords } from '../../src/studio/page/words.ts';
import { open } from '../harness.ts';

const none = { fx: 0, macro: 0, credits: 0 };

describe('a price in words', () => {
  test.each([
    [none, none, undefined, 'Costs nothing now: everything is cached.'],
    [
      { ...none, fx: 1, credits: 1 },
      { ...none, fx: 1, credits: 1 },
      60,
      'Asks the upstream: 1 FX unit, 1 credit. Asking again within 60 s costs nothing.',
    ],
    [
      { ...none, credits: 1 },
      { ...none, macro: 1, credits: 3 },
      undefined,
      'Asks the upstream: up to 1 macro unit, 1 to 3 credits. Asking again right away costs nothing.',
    ],
  ])('%o to %o', (least, most, seconds, text) => {
    expect(priceInWords({ least, most }, seconds)).toBe(text);
  });

  test('says what an operation is charged, and what is left of a limit', async () => {
    const { send } = await open({ env: { FX_MONTHLY_LIMIT: '3' } });
    const query = '{ fxRate(pair: "USDTRY") { history { points { date value } } } }';
    const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
    const { extensions } = await send({ method: 'POST', headers, body: JSON.stringify({ query }) });
    const { usage } = extensions as unknown as { usage: Parameters<typeof allowances>[0] };
    expect(allowances(usage, usage.estimate)).toEqual([
      { text: '3 of 3 FX units left this month', danger: 'near' },
    ]);
    const stated = { ...usage, fx: { ...usage.fx, remaining: 99_996 } };
    expect(allowances(stated, undefined)[0]?.text).toBe('3 of 3 FX units left this month');
    const most = { ...none, fx: 3 };
    expect(allowances(usage, { least: most, most })[0]?.danger).toBe('over');
    const budget = {
      meter: 'FX',
      window: 'MONTH',
      limit: 4,
      used: 2,
      resetsAt: '2026-12-01',
    } as const;
    const client = { budgets: [budget, { ...budget, meter: 'CREDITS', used: 4 }] };
    const [, own, used] = allowances({ ...usage, client }, usage.estimate);
    const text = '2 of your 4 FX units left this month: this uses all of it, and may need more';
    expect(own).toEqual({ text, danger: 'over' });
    expect(used?.text).toMatch(/^0 of your 4 credits left this month, more from 1 Dec 2026/);
    const takes = (fx: number) =>
      mayExceed({ ...usage, client }, { least: none, most: { ...none, fx } });
    // A used-up budget does not matter if nothing of it is needed.
    expect([0, 1, 2].map(takes)).toEqual([false, false, true]);
  });
});

test('a single field becomes an operation of its own, without what only others use', async () => {
  const query = `query Both($pair: CurrencyPair!, $symbol: String!) {
    rate: fxRate(pair: $pair) { ...Rate }
    cryptoAsset(symbol: $symbol) { price }
  }
  fragment Rate on FxRate { pair }`;
  const [operation] = readDocument(query) ?? [];
  expect(operation?.fields.map(({ name, line }) => [name, line])).toEqual([
    ['rate', 2],
    ['cryptoAsset', 3],
  ]);
  const { get } = await open();
  const [rate, crypto] = operation?.fields ?? [];
  expect(await get(rate?.query ?? '', { pair: 'USDTRY' })).toEqual({ rate: { pair: 'USDTRY' } });
  expect(await get(crypto?.query ?? '', { symbol: 'BTC' })).toHaveProperty('cryptoAsset.price');
  expect(readDocument('{ half')).toBeUndefined();
});

describe('a response', () => {
  const points = (...values: number[]) =>
    values.map((value, i) => ({ date: `2026-01-0${i + 1}`, value }));

  test('names its series after their subjects', () => {
    const data = {
      a: { pair: 'USDTRY', history: { points: points(1, 2) } },
      b: { name: 'Kapasite', observations: { points: points(3, 4).toReversed() } },
    };
    expect(findSeries(data)).toMatchObject([
      { name: 'USD/TRY', values: [1, 2] },
      { name: 'Kapasite', values: [3, 4] },
    ]);
  });

  test('shows candles that it has', () => {
    const candles = ['2026-01-01', '2026-02-01'].map((start) => ({
      start,
      open: 1,
      high: 3,
      low: 0,
      close: 2,
    }));
    const found = findSeries({ x: { points: points(1, 2), candles } });
    expect(found).toMatchObject([{ values: [2, 2], candles }]);
  });

  test('shows a series once that is in several places', () => {
    const rate = { pair: 'USDTRY', history: { points: points(1, 2) } };
    const nodes = [
      { event: 'CPI', fxRates: [rate] },
      { event: 'GDP', fxRates: [rate] },
    ];
    expect(findSeries({ events: { nodes } })).toMatchObject([{ name: 'USD/TRY', values: [1, 2] }]);
  });

  test('shows the edges of a connection before the number of them', () => {
    const laws = { totalCount: 9, edges: [{ node: { title: 'a' } }, { node: { title: 'b' } }] };
    expect(findLists({ laws })[0]?.rows).toHaveLength(2);
    expect(findLists({ laws: { totalCount: 0, edges: [] } })).toEqual([{ name: 'laws', rows: [] }]);
  });

  test('shows its lists in flat columns', () => {
    const data = { events: { nodes: [{ event: 'TÜFE', law: { name: 'x' }, tags: ['a', 'b'] }] } };
    const [list] = findLists(data);
    expect(list?.name).toBe('events');
    expect(flatten(list?.rows[0] ?? {})).toEqual({ event: 'TÜFE', 'law name': 'x', tags: 'a, b' });
  });

  test('shows the result of a conversion before its path, and a rate after the points of its chart', () => {
    const convert = { amount: 100, result: 6086.64, path: [{ pair: 'GBPTRY', mid: 60.8664 }] };
    expect(findLists({ convert })[0]).toEqual({ name: 'convert', rows: [convert] });
    const fxRate = { pair: 'USDTRY', mid: 44, history: { points: points(1, 2) } };
    const names = findLists({ fxRate }).map(({ name }) => name);
    expect(names).toEqual(['USD/TRY fxRate history points', 'fxRate']);
    const cryptoAssets = { totalCount: 1, nodes: [{ symbol: 'BTC' }] };
    expect(findLists({ cryptoAssets })).toHaveLength(1);
  });

  test('shows an empty list as a table without rows', () => {
    const data = { laws: { nodes: [], provenance: { retrievedAt: '2026-01-01T00:00:00Z' } } };
    expect(findLists(data)).toEqual([{ name: 'laws', rows: [] }]);
    const series = { fxRate: { history: { points: [] } } };
    expect(findLists(series)).toEqual([{ name: 'fxRate', rows: [] }]);
  });
});

test('candles of weeks and months begin and end with the values of their days', () => {
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 20_000 }), {
    minLength: 1,
    maxLength: 400,
  });
  fc.assert(
    fc.property(days, fc.constantFrom('week' as const, 'month' as const), (found, every) => {
      const times = found.toSorted((a, b) => a - b).map((day) => day * 86_400);
      const values = times.map((time) => (time * 7919) % 1000);
      const { candles, times: begins } = candlesOf(
        { name: '', times, values, candles: undefined },
        every,
      );
      expect(candles[0]?.open).toBe(values[0]);
      expect(candles.at(-1)?.close).toBe(values.at(-1));
      expect(Math.max(...candles.map(({ high }) => high))).toBe(Math.max(...values));
      expect(Math.min(...candles.map(({ low }) => low))).toBe(Math.min(...values));
      expect(
        candles.every(
          ({ open: o, high, low, close }) =>
            low <= Math.min(o, close) && high >= Math.max(o, close),
        ),
      ).toBe(true);
      expect(begins.every((time) => times.includes(time))).toBe(true);
      const longest = every === 'week' ? 7 : 31;
      const ends = [...begins.slice(1), Infinity];
      expect(
        times.every((time) =>
          begins.some(
            (from, i) => from <= time && time < ends[i]! && time - from < longest * 86_400,
          ),
        ),
      ).toBe(true);
    }),
  );
});
