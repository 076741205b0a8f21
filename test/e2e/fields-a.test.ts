import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/time.ts';
import { open } from '../harness.ts';
import {
  lastAnswer,
  type List,
  PROVENANCE,
  provenanceOf,
  upstreamAnswer,
  type UpstreamRecord,
} from '../upstream.ts';

/** Every value of Group A is the upstream's own, in the upstream's order; a value that is absent upstream is null. */

/** Removes the binary error of a sum or difference; the upstream's numbers have few decimals. */
const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals)) + 0;

describe('field by field', () => {
  test('FX rates are those of the upstream', async () => {
    const bench = await open();
    const { list } = await bench.get<List>(
      `{ list: fxRates { totalCount ${PROVENANCE} nodes { pair base quote buying selling mid spread } } }`,
    );
    const { data, ...envelope } = lastAnswer(bench.sandbox);
    expect(data.length).toBeGreaterThanOrEqual(40);
    expect(list.nodes).toEqual(
      data.map(({ pair, buying, selling }) => ({
        pair,
        base: String(pair).slice(0, 3),
        quote: String(pair).slice(3),
        buying,
        selling,
        mid: rounded((Number(buying) + Number(selling)) / 2, 10),
        spread: rounded(Number(selling) - Number(buying), 10),
      })),
    );
    expect(list.totalCount).toBe(data.length);
    expect(list.provenance).toEqual(provenanceOf(envelope));
  });

  const SERIES = `start end latest { date value } min { date value } max { date value }
    change changePercent points { date value } ${PROVENANCE}`;

  /** The summary that a series of these points should have. */
  function summary(points: UpstreamRecord[]) {
    const values = points.map(({ value }) => Number(value));
    const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0];
    const decimals = Math.max(
      ...[first, last].map((one) => (String(one).split('.')[1] ?? '').length),
    );
    const digits = String(Math.round(first * 10 ** decimals)).length;
    return {
      points,
      latest: points.at(-1),
      min: points[values.indexOf(Math.min(...values))],
      max: points[values.indexOf(Math.max(...values))],
      change: rounded(last - first, 10),
      changePercent: rounded(((last - first) / first) * 100, Math.max(2, digits - 2)),
    };
  }

  test.each([
    ['FX history', 'fxRate(pair: "USDTRY")', 'history', '/v1/fx/rates/USDTRY/history'],
    [
      'macro observations',
      'macroSeries(code: "TP.DK.USD.A")',
      'observations',
      '/v1/macro/series/TP.DK.USD.A',
    ],
  ])('%s are those of the upstream', async (_name, parent, field, path) => {
    const bench = await open();
    const { one } = await bench.get<{ one: { list: unknown; short: unknown } }>(
      `{ one: ${parent} { list: ${field}(start: "2026-09-01", end: "2026-11-18") { ${SERIES} } } }`,
    );
    const range = '?start=2026-09-01&end=2026-11-18';
    const { data } = upstreamAnswer(bench.sandbox, 'A', path + range);
    const { data: _points, ...envelope } = lastAnswer(bench.sandbox);
    expect(data.length).toBeGreaterThan(50);
    expect(one.list).toEqual({
      start: '2026-09-01',
      end: '2026-11-18',
      ...summary(data),
      provenance: provenanceOf(envelope),
    });
  });

  test('the macro catalog is that of the upstream', async () => {
    const bench = await open();
    const { list } = await bench.get<List>(
      `{ list: macroCatalog(first: 500) { totalCount ${PROVENANCE} nodes { code name } } }`,
    );
    const { data, ...envelope } = lastAnswer(bench.sandbox);
    expect(data.length).toBeGreaterThanOrEqual(100);
    expect(list).toEqual({
      nodes: data,
      totalCount: data.length,
      provenance: provenanceOf(envelope),
    });
  });
});

test('what depends on a pair alone costs no request for a day, and is fresh as long as a new answer', async () => {
  const { clock, cost, send } = await open();
  const query = '{ fxRate(pair: "USDTRY") { base quote } }';
  const maxAge = async () => {
    const { headers } = await send({}, `?query=${encodeURIComponent(query)}`);
    return headers.get('cache-control');
  };
  expect(await cost(query)).toBe(1);
  clock.advance(DAY_MS - 1000);
  expect(await cost(query)).toBe(0);
  expect(await maxAge()).toBe('public, max-age=60');
  clock.advance(61_000);
  expect(await cost(query)).toBe(1);
});
