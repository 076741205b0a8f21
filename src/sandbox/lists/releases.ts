import { rowsOf } from './table.ts';

/** When an indicator is released. Weekdays count from Sunday = 0; business days are weekdays. */
export interface Schedule {
  /** The nth business day, day or given weekday of the month, or the given weekday of every week. */
  on: 'business-day' | 'day' | 'weekday' | 'week';
  nth: number;
  weekday: number;
}

export const IMPORTANCE = ['low', 'medium', 'high'] as const;
/** The reference period: the month or quarter before, the week before, or the month itself (decisions). */
const PERIODS = ['previous-month', 'previous-quarter', 'previous-week', 'same-month'] as const;

/** One row of the release table. Times are fixed in Europe/Istanbul: daylight saving time elsewhere is ignored. */
export interface Release {
  country: string;
  currency: string;
  indicator: string;
  event: string;
  importance: (typeof IMPORTANCE)[number];
  schedule: Schedule;
  /** Months of release, 1 to 12; every month when absent. */
  months?: readonly number[];
  time: readonly [hour: number, minute: number];
  unit: string;
  /** The value around which the values lie. */
  level: number;
  /** About how far from `level` they lie. */
  range: number;
  /** They are multiples of this. */
  step: number;
  /** 1 if a value above the forecast is good for the currency, -1 if it is bad. */
  good: 1 | -1;
  period: (typeof PERIODS)[number];
}

/**
 * country | currency | indicator | event | importance | schedule | time | unit | level | range | step | good direction
 * | period | months. Schedules: b3 third business day, d15 the 15th or the Friday before, w5.1 first Friday, w4 every
 * Thursday.
 */
const TABLE = `
TR | TRY | PMI_MFG         | İmalat PMI                           | medium | b1   | 10:00 | index           | 48.6 | 1.2  | 0.1   | up   | previous-month   |
TR | TRY | CPI_YOY         | TÜFE (yıllık)                        | high   | b3   | 10:00 | %               | 29.4 | 1.6  | 0.01  | down | previous-month   |
TR | TRY | CPI_MOM         | TÜFE (aylık)                         | high   | b3   | 10:00 | %               | 1.9  | 0.7  | 0.01  | down | previous-month   |
TR | TRY | PPI_YOY         | Yİ-ÜFE (yıllık)                      | medium | b3   | 10:00 | %               | 25.2 | 1.5  | 0.01  | down | previous-month   |
TR | TRY | INDPROD_YOY     | Sanayi Üretimi (yıllık)              | medium | d10  | 10:00 | %               | 2.6  | 3    | 0.1   | up   | previous-month   |
TR | TRY | UNEMPLOYMENT    | İşsizlik Oranı                       | medium | d28  | 10:00 | %               | 8.5  | 0.3  | 0.1   | down | previous-month   |
TR | TRY | CURRENT_ACCOUNT | Cari İşlemler Dengesi                | high   | d13  | 10:00 | milyar USD      | -1.4 | 2.6  | 0.01  | up   | previous-month   |
TR | TRY | BUDGET          | Merkezî Yönetim Bütçe Dengesi        | low    | d15  | 11:00 | milyar TL       | -168 | 70   | 0.1   | up   | previous-month   |
TR | TRY | RETAIL_YOY      | Perakende Satışlar (yıllık)          | low    | d12  | 10:00 | %               | 11.8 | 2.5  | 0.1   | up   | previous-month   |
TR | TRY | HOUSE_SALES     | Konut Satışları                      | low    | d14  | 10:00 | bin adet        | 138  | 14   | 0.1   | up   | previous-month   |
TR | TRY | CONSUMER_CONF   | Tüketici Güven Endeksi               | low    | d21  | 10:00 | index           | 84.1 | 1.2  | 0.1   | up   | previous-month   |
TR | TRY | CAPACITY_UTIL   | Kapasite Kullanım Oranı              | low    | d24  | 10:00 | %               | 74.2 | 0.7  | 0.1   | up   | previous-month   |
TR | TRY | POLICY_RATE     | TCMB Faiz Kararı                     | high   | w4.3 | 14:00 | %               | 36.5 | 1.2  | 0.5   | up   | same-month       |
TR | TRY | GDP_YOY         | GSYH (yıllık)                        | high   | d30  | 10:00 | %               | 3.6  | 0.9  | 0.1   | up   | previous-quarter | 3 5 8 11
TR | TRY | FX_RESERVES     | TCMB Döviz Rezervleri                | low    | w4   | 14:30 | milyar USD      | 97.8 | 3    | 0.1   | up   | previous-week    |
TR | TRY | TRADE_BALANCE   | Dış Ticaret Dengesi                  | medium | b20  | 10:00 | milyar USD      | -7.4 | 1.4  | 0.01  | up   | previous-month   |
US | USD | PMI_MFG_ISM     | ISM Manufacturing PMI                | high   | b1   | 17:00 | index           | 49.1 | 1.1  | 0.1   | up   | previous-month   |
US | USD | PMI_SVC_ISM     | ISM Services PMI                     | high   | b3   | 17:00 | index           | 52.2 | 1.3  | 0.1   | up   | previous-month   |
US | USD | NFP             | Nonfarm Payrolls                     | high   | w5.1 | 15:30 | thousand        | 96   | 62   | 1     | up   | previous-month   |
US | USD | UNEMPLOYMENT    | Unemployment Rate                    | high   | w5.1 | 15:30 | %               | 4.4  | 0.1  | 0.1   | down | previous-month   |
US | USD | CPI_YOY         | CPI (YoY)                            | high   | d12  | 15:30 | %               | 2.9  | 0.2  | 0.1   | up   | previous-month   |
US | USD | CORE_CPI_MOM    | Core CPI (MoM)                       | high   | d12  | 15:30 | %               | 0.3  | 0.1  | 0.1   | up   | previous-month   |
US | USD | PPI_MOM         | PPI (MoM)                            | medium | d14  | 15:30 | %               | 0.2  | 0.2  | 0.1   | up   | previous-month   |
US | USD | RETAIL_MOM      | Retail Sales (MoM)                   | high   | d16  | 15:30 | %               | 0.3  | 0.5  | 0.1   | up   | previous-month   |
US | USD | HOUSING_STARTS  | Housing Starts                       | medium | d18  | 15:30 | million         | 1.34 | 0.06 | 0.001 | up   | previous-month   |
US | USD | CORE_PCE_YOY    | Core PCE Price Index (YoY)           | high   | d27  | 15:30 | %               | 2.8  | 0.1  | 0.1   | up   | previous-month   |
US | USD | FED_RATE        | Fed Interest Rate Decision           | high   | w3.3 | 21:00 | %               | 3.5  | 0.15 | 0.25  | up   | same-month       | 1 3 4 6 7 9 10 12
US | USD | GDP_QOQ         | GDP (QoQ, annualised)                | high   | d26  | 15:30 | %               | 2.2  | 0.8  | 0.1   | up   | previous-quarter |
US | USD | JOBLESS_CLAIMS  | Initial Jobless Claims               | medium | w4   | 15:30 | thousand        | 228  | 9    | 1     | down | previous-week    |
US | USD | CRUDE_STOCKS    | Crude Oil Inventories                | low    | w3   | 17:30 | million barrels | 0.4  | 4    | 0.1   | down | previous-week    |
US | USD | MICHIGAN        | Michigan Consumer Sentiment          | medium | w5.2 | 17:00 | index           | 57.4 | 3    | 0.1   | up   | same-month       |
EU | EUR | PMI_COMP        | Eurozone Composite PMI               | medium | b3   | 12:00 | index           | 51.4 | 0.8  | 0.1   | up   | previous-month   |
EU | EUR | HICP_YOY        | Eurozone HICP (YoY)                  | high   | b2   | 13:00 | %               | 2    | 0.2  | 0.1   | up   | previous-month   |
EU | EUR | UNEMPLOYMENT    | Eurozone Unemployment Rate           | low    | b4   | 13:00 | %               | 6.3  | 0.1  | 0.1   | down | previous-month   |
EU | EUR | INDPROD_MOM     | Eurozone Industrial Production (MoM) | medium | d14  | 13:00 | %               | 0.2  | 0.8  | 0.1   | up   | previous-month   |
EU | EUR | RETAIL_MOM      | Eurozone Retail Sales (MoM)          | low    | b5   | 13:00 | %               | 0.1  | 0.4  | 0.1   | up   | previous-month   |
EU | EUR | ECB_RATE        | ECB Deposit Facility Rate            | high   | w4.2 | 16:15 | %               | 2    | 0.1  | 0.25  | up   | same-month       | 1 3 4 6 7 9 10 12
EU | EUR | GDP_QOQ         | Eurozone GDP (QoQ)                   | high   | d14  | 13:00 | %               | 0.3  | 0.1  | 0.1   | up   | previous-quarter | 2 5 8 11
DE | EUR | CPI_YOY         | German CPI (YoY)                     | high   | d28  | 16:00 | %               | 2.2  | 0.2  | 0.1   | up   | same-month       |
DE | EUR | IFO             | Ifo Business Climate                 | medium | d24  | 12:00 | index           | 88.6 | 0.8  | 0.1   | up   | same-month       |
DE | EUR | ZEW             | ZEW Economic Sentiment               | medium | w2.2 | 13:00 | index           | 39.1 | 6    | 0.1   | up   | same-month       |
DE | EUR | FACTORY_ORDERS  | German Factory Orders (MoM)          | medium | b4   | 10:00 | %               | 0.4  | 2    | 0.1   | up   | previous-month   |
DE | EUR | UNEMPLOYMENT    | German Unemployment Rate             | medium | b1   | 11:55 | %               | 6.3  | 0.1  | 0.1   | down | previous-month   |
GB | GBP | CPI_YOY         | CPI (YoY)                            | high   | w3.3 | 10:00 | %               | 3.2  | 0.2  | 0.1   | up   | previous-month   |
GB | GBP | BOE_RATE        | BoE Interest Rate Decision           | high   | w4.1 | 15:00 | %               | 3.5  | 0.15 | 0.25  | up   | same-month       | 1 3 4 6 7 9 10 12
GB | GBP | GDP_MOM         | GDP (MoM)                            | medium | d13  | 10:00 | %               | 0.1  | 0.2  | 0.1   | up   | previous-month   |
GB | GBP | RETAIL_MOM      | Retail Sales (MoM)                   | medium | w5.3 | 10:00 | %               | 0.2  | 0.6  | 0.1   | up   | previous-month   |
GB | GBP | UNEMPLOYMENT    | Unemployment Rate                    | medium | w2.2 | 10:00 | %               | 5    | 0.1  | 0.1   | down | previous-month   |
GB | GBP | PMI_MFG         | Manufacturing PMI                    | low    | b1   | 12:30 | index           | 49.8 | 0.8  | 0.1   | up   | previous-month   |
JP | JPY | CPI_YOY         | National CPI (YoY)                   | medium | w5.3 | 02:30 | %               | 2.7  | 0.3  | 0.1   | up   | previous-month   |
JP | JPY | BOJ_RATE        | BoJ Interest Rate Decision           | high   | w5.4 | 06:00 | %               | 0.75 | 0.1  | 0.25  | up   | same-month       | 1 3 4 6 7 9 10 12
JP | JPY | GDP_QOQ         | GDP (QoQ)                            | medium | d15  | 02:50 | %               | 0.2  | 0.4  | 0.1   | up   | previous-quarter | 2 5 8 11
JP | JPY | TANKAN          | Tankan Large Manufacturers Index     | medium | b1   | 02:50 | index           | 14   | 2    | 1     | up   | previous-quarter | 1 4 7 10
JP | JPY | INDPROD_MOM     | Industrial Production (MoM)          | low    | d29  | 02:50 | %               | 0.1  | 1.2  | 0.1   | up   | previous-month   |
CN | CNY | PMI_MFG         | Manufacturing PMI (NBS)              | high   | b1   | 04:30 | index           | 49.8 | 0.5  | 0.1   | up   | previous-month   |
CN | CNY | CPI_YOY         | CPI (YoY)                            | medium | d9   | 04:30 | %               | 0.3  | 0.3  | 0.1   | up   | previous-month   |
CN | CNY | TRADE_BALANCE   | Trade Balance                        | medium | d7   | 06:00 | billion USD     | 98   | 9    | 0.1   | up   | previous-month   |
CH | CHF | CPI_MOM         | CPI (MoM)                            | medium | b3   | 09:30 | %               | 0.1  | 0.2  | 0.1   | up   | previous-month   |
CA | CAD | UNEMPLOYMENT    | Unemployment Rate                    | medium | w5.1 | 15:30 | %               | 6.9  | 0.2  | 0.1   | down | previous-month   |
CA | CAD | CPI_MOM         | CPI (MoM)                            | medium | w2.3 | 15:30 | %               | 0.2  | 0.2  | 0.1   | up   | previous-month   |
`;

function oneOf<T extends string>(choices: readonly T[], text: string): T {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new Error(`releases: ${text} is none of its column's words`);
  return choice;
}

function parseSchedule(text: string): Schedule {
  const [first = 0, nth] = text.slice(1).split('.').map(Number);
  if (text.startsWith('b')) return { on: 'business-day', nth: first, weekday: 0 };
  if (text.startsWith('d')) return { on: 'day', nth: first, weekday: 0 };
  return { on: nth === undefined ? 'week' : 'weekday', nth: nth ?? 0, weekday: first };
}

function toRelease(row: string[]): Release {
  const cell = (column: number) => row[column] ?? '';
  const [hour = 0, minute = 0] = cell(6).split(':').map(Number);
  const months = cell(13).split(' ').filter(Boolean).map(Number);
  return {
    country: cell(0),
    currency: cell(1),
    indicator: `${cell(0)}_${cell(2)}`,
    event: cell(3),
    importance: oneOf(IMPORTANCE, cell(4)),
    schedule: parseSchedule(cell(5)),
    ...(months.length > 0 ? { months } : {}),
    time: [hour, minute],
    unit: cell(7),
    level: Number(cell(8)),
    range: Number(cell(9)),
    step: Number(cell(10)),
    good: cell(11) === 'up' ? 1 : -1,
    period: oneOf(PERIODS, cell(12)),
  };
}

/** Every scheduled release of the calendar. */
export const RELEASES: readonly Release[] = rowsOf(TABLE).map(toRelease);
