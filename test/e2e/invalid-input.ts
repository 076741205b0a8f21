/** Lists, and wrong arguments of all fields, for input.test.ts. */

export const LISTS = [
  'fxRates',
  'macroCatalog',
  'legislationChanges',
  'calendarEvents',
  'cryptoAssets',
];

/** Field with the wrong argument, and the argument's name. */
export const INVALID: [field: string, argument: string][] = [
  ['fxRate(pair: "USDTR") { mid }', 'pair'],
  ['fxRate(pair: "USD TRY") { mid }', 'pair'],
  ['fxRate(pair: "USD//TRY") { mid }', 'pair'],
  ['fxRate(pair: "") { mid }', 'pair'],
  ['fxRates(filter: { pairs: ["USDTRY", "U5DTRY"] }) { totalCount }', 'filter.pairs[1]'],
  ['fxRates(filter: { base: "US" }) { totalCount }', 'filter.base'],
  ['fxRates(filter: { quote: "LIRA" }) { totalCount }', 'filter.quote'],
  ['macroSeries(code: "") { name }', 'code'],
  ['macroSeries(code: "../health") { name }', 'code'],
  ['macroSeries(code: "TP..DK") { name }', 'code'],
  ['macroCatalog(filter: { search: " " }) { totalCount }', 'filter.search'],
  ['macroCatalog(filter: { codes: ["TP/DK"] }) { totalCount }', 'filter.codes[0]'],
  ['macroCatalog(filter: { codePrefix: "TP DK" }) { totalCount }', 'filter.codePrefix'],
  [
    'legislationChanges(filter: { start: "2026-11-20", end: "2026-11-19" }) { totalCount }',
    'filter.start',
  ],
  ['legislationChanges(filter: { start: "20-11-2026" }) { totalCount }', 'filter.start'],
  ['legislationChanges(filter: { end: "2026-02-30" }) { totalCount }', 'filter.end'],
  ['legislationChanges(filter: { topics: ["tax", ""] }) { totalCount }', 'filter.topics[1]'],
  ['legislationChanges(filter: { institution: "" }) { totalCount }', 'filter.institution'],
  ['legislationChanges(filter: { search: "\\u0000" }) { totalCount }', 'filter.search'],
  [
    'calendarEvents(filter: { start: "2026-11-21", end: "2026-11-20" }) { totalCount }',
    'filter.start',
  ],
  ['calendarEvents(filter: { end: "2026-11-19" }) { totalCount }', 'filter.end'],
  ['calendarEvents(filter: { end: "tomorrow" }) { totalCount }', 'filter.end'],
  ['calendarEvents(filter: { countries: ["TUR"] }) { totalCount }', 'filter.countries[0]'],
  ['calendarEvents(filter: { currencies: ["TR"] }) { totalCount }', 'filter.currencies[0]'],
  ['calendarEvents(filter: { indicators: [""] }) { totalCount }', 'filter.indicators[0]'],
  ['cryptoAsset(symbol: "") { price }', 'symbol'],
  ['cryptoAsset(symbol: "BTC,ETH") { price }', 'symbol'],
  ['cryptoAsset(symbol: "BTC", exchange: "") { price }', 'exchange'],
  ['cryptoAssets(filter: { symbols: ["BTC", "E TH"] }) { totalCount }', 'filter.symbols[1]'],
  ['cryptoAssets(filter: { exchange: "\\n" }) { totalCount }', 'filter.exchange'],
  ['node(id: "FxRate:USD") { id }', 'id'],
  ['node(id: "Nothing:1") { id }', 'id'],
  ['node(id: "") { id }', 'id'],
  ...LISTS.flatMap((list): [string, string][] => [
    [`${list}(first: 501) { totalCount }`, 'first'],
    [`${list}(first: -1) { totalCount }`, 'first'],
    [`${list}(last: 501) { totalCount }`, 'last'],
  ]),
];
