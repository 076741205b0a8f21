/** Datasets of which the upstream has no records for a moment, for emptied.test.ts. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

interface Case {
  path: string;
  query: string;
  /** When everything has expired. */
  expires: number;
  /** When the upstream is asked again after an answer without records. */
  again: number;
}

const HISTORY = 'history(start: "2026-06-01", end: "2026-11-10") { points { date value } }';

export const CASES: Record<string, Case> = {
  catalog: {
    path: '/v1/macro/catalog',
    query: '{ macroSeries(code: "TP.DK.USD.A") { name } macroCatalog { totalCount } }',
    expires: 7 * HOUR,
    again: MINUTE,
  },
  search: {
    path: '/v1/macro/catalog',
    query: '{ macroCatalog(filter: { search: "USD" }) { totalCount nodes { code } } }',
    expires: 7 * HOUR,
    again: MINUTE,
  },
  rates: {
    path: '/v1/fx/rates',
    query: '{ fxRates { totalCount nodes { pair } } }',
    expires: 2 * MINUTE,
    again: MINUTE,
  },
  assets: {
    path: '/crypto/prices',
    query: '{ cryptoAssets(first: 3) { totalCount nodes { symbol } } }',
    expires: MINUTE,
    again: MINUTE,
  },
  history: {
    path: '/v1/fx/rates/USDTRY/history',
    query: `{ fxRate(pair: "USDTRY") { pair ${HISTORY} } }`,
    expires: 25 * HOUR,
    again: 5 * MINUTE,
  },
  legislation: {
    path: '/legislation/changes',
    query:
      '{ legislationChanges(filter: { start: "2026-09-01", end: "2026-11-10" }) { totalCount } }',
    expires: 25 * HOUR,
    again: 15 * MINUTE,
  },
};
