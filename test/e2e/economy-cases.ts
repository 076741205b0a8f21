import type { Bench } from '../harness.ts';
import { assetsBelow500, firstAssets, pairs } from '../upstream.ts';

/** Queries, and how many requests they cost, for economy.test.ts. */

export const asset = (symbol: string, i: number) =>
  `a${i}: cryptoAsset(symbol: "${symbol}") { price }`;
const rate = (pair: string, i: number) => `r${i}: fxRate(pair: "${pair}") { mid }`;
const history = (start: number) =>
  `h${start}: history(start: "2026-0${1 + (start % 5)}-${10 + start}", end: "2026-10-${10 + start}") { change }`;
export const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

export const RANGE = 'start: "2026-10-01", end: "2026-11-15"';

interface Case {
  name: string;
  query: (bench: Bench) => string;
  requests: number;
}

export const CASES: Case[] = [
  {
    name: '50 single assets',
    query: ({ sandbox }) => firstAssets(sandbox, 50).map(asset).join(' '),
    requests: 1,
  },
  {
    name: '40 assets of which 10 rank below 500',
    query: ({ sandbox }) =>
      [...firstAssets(sandbox, 30), ...assetsBelow500(sandbox, 10)].map(asset).join(' '),
    requests: 2,
  },
  {
    name: '40 single rates with two filtered lists',
    query: ({ sandbox }) => `${pairs(sandbox).slice(0, 40).map(rate).join(' ')}
      inLira: fxRates(filter: { quote: "TRY" }) { totalCount }
      ofEuro: fxRates(filter: { base: "EUR", pairs: ["EURUSD", "EURTRY"] }) { totalCount }`,
    requests: 1,
  },
  {
    name: '20 overlapping histories of one pair',
    query: () => `fxRate(pair: "USDTRY") { ${upTo(20).map(history).join(' ')} }`,
    requests: 2,
  },
  {
    name: '100 assets priced in three currencies',
    query: () =>
      `cryptoAssets(first: 100) { nodes {
        usd: priceIn(convert: USD) try: priceIn(convert: TRY) eur: priceIn(convert: EUR) } }`,
    requests: 2,
  },
  {
    name: 'six calendar filters',
    query: () => `
      a: calendarEvents { totalCount }
      b: calendarEvents(filter: { countries: ["TR", "us"] }) { totalCount }
      c: calendarEvents(filter: { importance: [HIGH] }) { totalCount }
      d: calendarEvents(filter: { currencies: ["EUR"], start: "2026-11-10" }) { totalCount }
      e: calendarEvents(filter: { released: true, start: "2026-11-16", end: "2026-11-22" }) { totalCount }
      f: calendarEvents(filter: { start: "2026-11-25", end: "2026-12-05" }) { totalCount }`,
    requests: 1,
  },
  {
    name: 'five legislation filters over one range',
    query: () => `
      a: legislationChanges(filter: { ${RANGE} }) { totalCount }
      b: legislationChanges(filter: { ${RANGE}, types: [LAW] }) { totalCount }
      c: legislationChanges(filter: { ${RANGE}, types: [COMMUNIQUE, CIRCULAR] }) { totalCount }
      d: legislationChanges(filter: { ${RANGE}, changeTypes: [REPEAL] }) { totalCount }
      e: legislationChanges(filter: { ${RANGE}, topics: ["tax", "banking"] }) { totalCount }`,
    requests: 1,
  },
  {
    name: 'the events of a week with their rates',
    query: () => `calendarEvents { nodes { event fxRates(quote: "TRY") { pair mid } } }`,
    requests: 2,
  },
  {
    name: 'two series with their observations',
    query: () => `
      a: macroSeries(code: "TP.DK.USD.A") { observations { change } }
      b: macroSeries(code: "TP.DK.EUR.A") { name week: observations(start: "2026-11-13") { change } }
      macroCatalog(filter: { codePrefix: "TP.DK" }) { totalCount }`,
    requests: 3,
  },
];
