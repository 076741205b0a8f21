/** The day for which the figures in these lists hold approximately; values drift away from them before and after it. */
export const ANCHOR_DAY = '2026-10-01';

/** [code, value in USD on the anchor day, typical daily move in percent, drift in percent a year]. */
type CurrencyRow = readonly [code: string, usd: number, dailyMove: number, drift: number];

export const CURRENCIES: readonly CurrencyRow[] = [
  ['USD', 1, 0, 0],
  ['TRY', 1 / 43.6, 0.12, -15],
  ['EUR', 1.162, 0.25, 0],
  ['GBP', 1.335, 0.25, 0],
  ['JPY', 1 / 152.4, 0.3, 0],
  ['CHF', 1.248, 0.25, 0],
  ['CAD', 0.716, 0.2, 0],
  ['AUD', 0.658, 0.3, 0],
  ['NZD', 0.579, 0.3, 0],
  ['SEK', 0.1062, 0.3, 0],
  ['NOK', 0.0994, 0.3, 0],
  ['DKK', 0.1557, 0.25, 0],
  ['PLN', 0.2734, 0.3, 0],
  ['CZK', 0.0478, 0.3, 0],
  ['HUF', 0.003, 0.35, 0],
  ['RON', 0.2279, 0.25, 0],
  ['RUB', 0.0122, 0.6, -5],
  ['CNY', 0.1406, 0.08, 0],
  ['KRW', 0.000695, 0.3, 0],
  ['SAR', 0.26667, 0.002, 0],
  ['AED', 0.27229, 0.001, 0],
  ['QAR', 0.27473, 0.002, 0],
  ['KWD', 3.262, 0.03, 0],
  ['AZN', 0.58824, 0.001, 0],
  ['KZT', 0.00187, 0.3, -4],
  ['INR', 0.0112, 0.12, -2],
  ['ZAR', 0.0577, 0.5, 0],
  ['MXN', 0.0541, 0.4, 0],
  ['BRL', 0.1872, 0.5, 0],
  ['ILS', 0.3031, 0.3, 0],
];

const AGAINST_TRY =
  'USD EUR GBP CHF JPY CAD AUD SEK NOK DKK SAR KWD CNY RUB AED QAR AZN RON PLN KRW KZT INR';
const AGAINST_OTHERS =
  'EURUSD GBPUSD AUDUSD NZDUSD USDJPY USDCHF USDCAD USDSEK USDNOK USDDKK USDPLN USDHUF USDCZK ' +
  'USDCNY USDRUB USDMXN USDZAR USDBRL USDINR USDILS USDKRW EURGBP EURJPY EURCHF EURSEK EURPLN ' +
  'EURHUF EURCZK EURCAD EURAUD GBPJPY GBPCHF CHFJPY AUDJPY';

/** Quoted pairs, base before quote, in the order they are listed. */
export const PAIRS: readonly string[] = [
  ...AGAINST_TRY.split(' ').map((base) => `${base}TRY`),
  ...AGAINST_OTHERS.split(' '),
];
