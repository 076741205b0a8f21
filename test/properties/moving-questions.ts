import * as fc from 'fast-check';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { MACRO_SERIES } from '../../src/sandbox/lists/macro-series.ts';
import { formatDay } from '../../src/time.ts';
import { args, EnumValues, isIn, optional, picked, type Row } from './question.ts';

/** Queries for lists of records that change as time passes. */

/** A query, and how its records follow from those of a direct request. */
export interface MovingQuestion {
  /** A field of Query with its arguments and selection. */
  field: string;
  direct: { group: 'A' | 'B'; path: string };
  /** Returns what the query selects from the records of the direct answer. */
  selected(rows: readonly Row[]): readonly Row[];
  /** Returns the records in the field's result. */
  recordsOf(result: Row): readonly Row[];
  /** The field that tells the records apart. */
  key: string;
  /** How long an answer with the record is fresh by default, in seconds. */
  ttl(record: Row): number;
}

const nodesOf = ({ nodes }: Row) => nodes as Row[];

const RATE = 'pair buying selling';

const rates: fc.Arbitrary<MovingQuestion> = optional(fc.constantFrom('TRY', 'USD', 'EUR')).map(
  (quote) => ({
    field: `fxRates${args({ filter: { quote }, first: 500 })} { nodes { ${RATE} } }`,
    direct: { group: 'A', path: '/v1/fx/rates' },
    selected(rows) {
      const wanted = rows.filter(({ pair }) => String(pair).endsWith(quote ?? ''));
      return picked(wanted, RATE);
    },
    recordsOf: nodesOf,
    key: 'pair',
    ttl: () => 60,
  }),
);

const ASSET = 'symbol rank price priceUsd change24h marketCap circulatingSupply updatedAt';

/** Without symbols, the first assets. */
function assets(symbols: readonly string[]): fc.Arbitrary<MovingQuestion> {
  const some = fc.uniqueArray(fc.constantFrom(...symbols), { maxLength: 5 });
  const convert = fc.constantFrom('USD', 'TRY', 'EUR');
  return fc.tuple(some, convert, fc.integer({ min: 5, max: 120 })).map(([own, to, first]) => {
    const filter = own.length > 0 ? `filter: { symbols: ${JSON.stringify(own)} }, ` : '';
    return {
      field: `cryptoAssets(${filter}convert: ${to}, first: ${first}) { nodes { ${ASSET} } }`,
      direct: {
        group: 'B',
        path: `/crypto/prices?symbols=${own.join(',')}&convert=${to}&limit=${first}`,
      },
      selected: (rows) => picked(rows, ASSET),
      recordsOf: nodesOf,
      key: 'symbol',
      ttl: () => 30,
    };
  });
}

interface Range {
  start: string;
  end: string;
}

/** Returns the time to live of a record: a day if it is more than seven days old on the day `today`. */
const byDay = (today: number, field: string, ttl: number) => (record: Row) =>
  String(record[field]) >= formatDay(today - 7) ? ttl : 86_400;

/** Days around `today`, and some far from it. */
function ranges(today: number): fc.Arbitrary<Range> {
  const near = fc.integer({ min: -12, max: 6 });
  const far = fc.integer({ min: -400, max: 40 });
  const day = fc.oneof({ weight: 4, arbitrary: near }, { weight: 1, arbitrary: far });
  return fc.tuple(day, day).map(([a, b]) => ({
    start: formatDay(today + Math.min(a, b)),
    end: formatDay(today + Math.max(a, b)),
  }));
}

const POINT = 'date value';
const SERIES = [
  ...PAIRS.slice(0, 4).map((pair) => ({
    root: `fxRate(pair: "${pair}")`,
    points: 'history',
    path: `/v1/fx/rates/${pair}/history`,
    ttl: 300,
  })),
  ...MACRO_SERIES.slice(0, 6).map(({ code }) => ({
    root: `macroSeries(code: "${code}")`,
    points: 'observations',
    path: `/v1/macro/series/${code}`,
    ttl: 3600,
  })),
];

/** The values of a range, or the last ones. */
function points(today: number): fc.Arbitrary<MovingQuestion> {
  const all = { start: '2018-01-01', end: formatDay(today) };
  const last = fc
    .integer({ min: 1, max: 300 })
    .map((count) => ({ asked: { last: count }, ...all }));
  const range = ranges(today).map((asked) => ({ asked, ...asked }));
  return fc
    .tuple(fc.constantFrom(...SERIES), fc.oneof(range, last))
    .map(([series, { asked, start, end }]) => ({
      field: `${series.root} { ${series.points}${args(asked)} { points { ${POINT} } } }`,
      direct: { group: 'A', path: `${series.path}?start=${start}&end=${end}` },
      selected: (rows) => picked('last' in asked ? rows.slice(-asked.last) : rows, POINT),
      recordsOf: (result) => (result[series.points] as { points: Row[] }).points,
      key: 'date',
      ttl: byDay(today, 'date', series.ttl),
    }));
}

const CHANGE = 'publishedAt title institution summary effectiveDate';

/** Up to a month, so that a page holds them all. */
function legislation(today: number): fc.Arbitrary<MovingQuestion> {
  const back = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 60 }));
  const search = optional(fc.constantFrom('vergi', 'beyan'));
  return fc.tuple(back, search).map(([[days, ago], q]) => {
    const start = formatDay(today - ago - days);
    const end = formatDay(today - ago);
    const filter = { start, end, search: q };
    return {
      field: `legislationChanges${args({ filter, first: 500 })} { nodes { recordId ${CHANGE} } }`,
      direct: {
        group: 'B',
        path: `/legislation/changes?start=${start}&end=${end}${q ? `&q=${q}` : ''}`,
      },
      selected: (rows) => picked(withRecordId(rows), `recordId ${CHANGE}`),
      recordsOf: nodesOf,
      key: 'recordId',
      ttl: byDay(today, 'publishedAt', 900),
    };
  });
}

const withRecordId = (rows: readonly Row[]) => rows.map((row) => ({ ...row, recordId: row['id'] }));

const EVENT = 'datetime country event actual forecast previous surprise';

function calendar(today: number): fc.Arbitrary<MovingQuestion> {
  const countries = optional(fc.constantFrom(['TR'], ['US', 'TR']));
  const importance = optional(fc.constantFrom(['HIGH'], ['LOW', 'MEDIUM']));
  const released = optional(fc.boolean());
  const filters = fc.record({ countries, importance, released });
  return fc.tuple(ranges(today), filters).map(([{ start, end }, filter]) => {
    const words = filter.importance && new EnumValues(filter.importance);
    const all = { start, end, ...filter, importance: words };
    const isWanted = (row: Row) =>
      isIn(row['country'], filter.countries) &&
      isIn(String(row['importance']).toUpperCase(), filter.importance) &&
      (filter.released === undefined || filter.released === (row['actual'] !== null));
    return {
      field: `calendarEvents${args({ filter: all, first: 500 })} { nodes { recordId ${EVENT} } }`,
      direct: { group: 'B', path: `/calendar/events?start=${start}&end=${end}` },
      selected: (rows) =>
        picked(withRecordId(rows.filter(isWanted)), `recordId ${EVENT}`).slice(0, 500),
      recordsOf: nodesOf,
      key: 'recordId',
      ttl: byDay(today, 'datetime', 300),
    };
  });
}

/** Queries that are sent on the day `today`. */
export function movingQuestions(
  today: number,
  symbols: readonly string[],
): fc.Arbitrary<MovingQuestion> {
  return fc.oneof(rates, assets(symbols), points(today), legislation(today), calendar(today));
}
