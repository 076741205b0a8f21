import * as fc from 'fast-check';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { MACRO_SERIES } from '../../src/sandbox/lists/macro-series.ts';
import {
  args,
  type Dates,
  dates,
  isIn,
  listOf,
  optional,
  picked,
  popular,
  type Question,
  type Row,
  upTo,
} from './question.ts';

/** Queries for foreign exchange and macro series. */

const pair = popular([...PAIRS, 'XXXYYY']);
const currency = popular(['TRY', 'USD', 'EUR', 'GBP', 'XYZ']);
const RATE = 'pair buying selling';
const SERIES = '{ points { date value } }';

const rates: fc.Arbitrary<Question> = fc
  .record({ pairs: upTo(pair, 5), base: optional(currency), quote: optional(currency) })
  .map((filter) => ({
    field: `fxRates${args({ filter, first: 500 })} { totalCount nodes { ${RATE} } }`,
    expected(upstream) {
      const rows = upstream('A', '/v1/fx/rates').filter(
        ({ pair: name }) =>
          isIn(name, filter.pairs) &&
          String(name).startsWith(filter.base ?? '') &&
          String(name).endsWith(filter.quote ?? ''),
      );
      return listOf(rows, RATE);
    },
  }));

const byName = (rows: readonly Row[], field: string, name: string) =>
  rows.find((row) => row[field] === name);

const series = (rows: readonly Row[]) => ({ points: picked(rows, 'date value') });

const rate: fc.Arbitrary<Question> = fc
  .record({ name: pair, asked: dates({ back: 900, ahead: 5, defaultStart: -7 }) })
  .map(({ name, asked }) => ({
    field: `fxRate(pair: "${name}") { ${RATE} history${args(asked)} ${SERIES} }`,
    expected(upstream) {
      const row = byName(upstream('A', '/v1/fx/rates'), 'pair', name);
      if (!row) return null;
      const history = upstream('A', `/v1/fx/rates/${name}/history`, asked);
      return { ...picked([row], RATE)[0], history: series(history) };
    },
  }));

const code = popular([...MACRO_SERIES.map((one) => one.code), 'TP.NONE']);

const oneSeries: fc.Arbitrary<Question> = fc
  .record({ name: code, asked: dates({ back: 900, ahead: 5, defaultStart: -30 }) })
  .map(({ name, asked }: { name: string; asked: Dates }) => ({
    field: `macroSeries(code: "${name}") { code name observations${args(asked)} ${SERIES} }`,
    expected(upstream) {
      const row = byName(upstream('A', '/v1/macro/catalog'), 'code', name);
      if (!row) return null;
      const observations = upstream('A', `/v1/macro/series/${name}`, asked);
      return { ...picked([row], 'code name')[0], observations: series(observations) };
    },
  }));

const last = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 })),
  end: optional(fc.constantFrom('2026-11-20', '2026-11-15', '2025-02-28', '2030-01-01')),
});

/** From when on the upstream is asked directly; the sandbox has nothing earlier. */
const LONG_AGO = '2000-01-01';

const lastRates: fc.Arbitrary<Question> = fc
  .record({ name: pair, asked: last })
  .map(({ name, asked: { count, end } }) => ({
    field: `fxRate(pair: "${name}") { pair history${args({ last: count, end })} ${SERIES} }`,
    expected(upstream) {
      if (!byName(upstream('A', '/v1/fx/rates'), 'pair', name)) return null;
      const all = upstream('A', `/v1/fx/rates/${name}/history`, { start: LONG_AGO, end });
      return { pair: name, history: series(all.slice(-count)) };
    },
  }));

const lastObservations: fc.Arbitrary<Question> = fc
  .record({ name: code, asked: last })
  .map(({ name, asked: { count, end } }) => ({
    field: `macroSeries(code: "${name}") { code observations${args({ last: count, end })} ${SERIES} }`,
    expected(upstream) {
      if (!byName(upstream('A', '/v1/macro/catalog'), 'code', name)) return null;
      const all = upstream('A', `/v1/macro/series/${name}`, { start: LONG_AGO, end });
      return { code: name, observations: series(all.slice(-count)) };
    },
  }));

const catalog: fc.Arbitrary<Question> = fc
  .record({
    search: optional(popular(['faiz', 'TÜFE', 'usd', 'yok böyle'])),
    codes: upTo(code, 4),
    codePrefix: optional(popular(['TP.DK', 'TP.FG', 'TP.MK.F', 'XX'])),
  })
  .map((filter) => ({
    field: `macroCatalog${args({ filter, first: 500 })} { totalCount nodes { code name } }`,
    expected(upstream) {
      const rows = upstream('A', '/v1/macro/catalog', { q: filter.search }).filter(
        (row) =>
          isIn(row['code'], filter.codes) &&
          String(row['code']).startsWith(filter.codePrefix ?? ''),
      );
      return listOf(rows, 'code name');
    },
  }));

export const questionsA = fc.oneof(rates, rate, oneSeries, catalog, lastRates, lastObservations);
