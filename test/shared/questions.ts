/** A question for each way in which answers are stored. */
export const ALL_QUESTIONS: [dataset: string, query: string][] = [
  ['rates', '{ fxRates(first: 3) { nodes { pair buying } } }'],
  [
    'a history',
    '{ fxRate(pair: "USDTRY") { history(start: "2026-10-01") { points { date value } } } }',
  ],
  ['the catalog', '{ macroCatalog(first: 3) { nodes { code name } } }'],
  ['a search of the catalog', '{ macroCatalog(filter: { search: "TP" }) { totalCount } }'],
  ['a calendar', '{ calendarEvents(first: 5) { nodes { id datetime actual } } }'],
  [
    'legislation by day',
    '{ legislationChanges(filter: { start: "2026-11-01" }, first: 5) { nodes { id title } } }',
  ],
  [
    'legislation without a start',
    '{ legislationChanges(first: 5) { nodes { id title } totalCount } }',
  ],
  ['assets by rank', '{ cryptoAssets(first: 5) { nodes { symbol price } } }'],
  ['an asset in lira', '{ cryptoAsset(symbol: "BTC", convert: TRY) { price } }'],
  ['an asset that has no rank', '{ cryptoAsset(symbol: "NOVZ") { symbol price } }'],
  ['an asset that nobody has', '{ cryptoAsset(symbol: "NOBODYHAS") { symbol } }'],
];
