import { flatten, isRow, type Row } from './row.ts';

/** Finds series and lists in the data of a response, wherever they are. */

export interface Candle {
  open: number;
  high: number;
  low: number;
  close: number;
}

/** `end`: the last day that it stands for, if the response has it. */
type GivenCandle = Candle & { end?: unknown };

export interface Series {
  name: string;
  /** Seconds since 1970, in order. */
  times: number[];
  /** One for each time; for candles, the closing value. */
  values: number[];
  /** Undefined if the response has none. */
  candles: GivenCandle[] | undefined;
}

export interface List {
  name: string;
  rows: readonly Row[];
}

interface Found {
  path: readonly string[];
  around: readonly Row[];
  rows: readonly Row[];
}

/** Lists of objects, with the objects around each, the innermost last. */
function* listsIn(
  value: unknown,
  path: readonly string[],
  around: readonly Row[],
): Generator<Found> {
  if (Array.isArray(value)) {
    const rows = value.filter(isRow);
    // Null stands for an object that does not exist, such as that of an unknown id.
    const isList = rows.length > 0 && value.every((each) => isRow(each) || each === null);
    if (isList) yield { path, around, rows: value.map((each: Row | null) => each ?? {}) };
    for (const row of rows) yield* inside(row, path, around);
  } else if (isRow(value)) yield* inside(value, path, around);
}

function* inside(row: Row, path: readonly string[], around: readonly Row[]): Generator<Found> {
  for (const [name, below] of Object.entries(row))
    if (typeof below === 'object') yield* listsIn(below, [...path, name], [...around, row]);
}

const TIMES = ['date', 'start', 'from', 'time', 'datetime', 'timestamp'];
const timeOf = (row: Row): number => {
  const name = TIMES.find((each) => typeof row[each] === 'string') ?? '';
  return Date.parse(String(row[name])) / 1000;
};
const isCandle = (row: Row) =>
  ['open', 'high', 'low', 'close'].every((name) => typeof row[name] === 'number');
const isPoint = (row: Row) => typeof row['value'] === 'number' || isCandle(row);

/** Finds lists of objects with a date and a value or a candle. If an object has both, only its candles count. */
export function findSeries(data: unknown): Series[] {
  const all = [...listsIn(data, [], [])].filter(({ rows }) => isSeries(rows));
  const withCandles = new Set(
    all.filter(({ rows }) => rows.every(isCandle)).map(({ around }) => around.at(-1)),
  );
  const shown = all.filter(
    ({ rows, around }) => rows.every(isCandle) || !withCandles.has(around.at(-1)),
  );
  // The history of one rate may belong to several events.
  const found = [...new Map(shown.map((one) => [allOf(one), one])).values()];
  const names = namesOf(found);
  return found.map(({ rows }, i) => {
    const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b));
    const hasCandles = sorted.every(isCandle);
    return {
      name: names[i] ?? '',
      times: sorted.map(timeOf),
      values: sorted.map((row) => Number(hasCandles ? row['close'] : row['value'])),
      candles: hasCandles ? (sorted as unknown as GivenCandle[]) : undefined,
    };
  });
}

const allOf = ({ around, path, rows }: Found) => JSON.stringify([identityOf(around), path, rows]);

/** Names series by what identifies them, else by their outermost field; equal names are told apart by the path. */
function namesOf(found: readonly Found[]): string[] {
  const names = found.map(({ path, around }) => identityOf(around) ?? path[0] ?? 'series');
  const isRepeated = (name: string) => names.filter((each) => each === name).length > 1;
  return names.map((name, i) =>
    isRepeated(name)
      ? `${name} (${found[i]?.path.filter((part) => part !== 'points').join(' ')})`
      : name,
  );
}

const IDENTITIES = ['pair', 'symbol', 'name', 'title', 'event', 'code'];

function identityOf(around: readonly Row[]): string | undefined {
  for (const row of around.toReversed())
    for (const name of IDENTITIES) {
      const value = row[name];
      if (typeof value === 'string' && value !== '')
        return name === 'pair' ? slashed(value) : value;
    }
  return undefined;
}

const slashed = (pair: string) =>
  pair.length === 6 ? `${pair.slice(0, 3)}/${pair.slice(3)}` : pair;

/**
 * Finds every list of objects, and outermost objects with numbers of their own as lists of one. These come before the
 * lists, since a conversion is asked for its result, unless there is a chart, whose points people look for.
 * Last come the outermost fields without a list: objects, empty lists and null.
 */
export function findLists(data: unknown): List[] {
  const found = merged([...listsIn(data, [], [])]);
  const lists = found.map(({ path, around, rows }) => ({
    name: [identityOf(around), ...path.filter((part) => part !== 'nodes')]
      .filter(Boolean)
      .join(' '),
    rows,
  }));
  const withList = new Set(found.map(({ path }) => path[0]));
  const outermost = partsOf(data);
  const results = outermost
    .filter((entry): entry is [string, Row] => isRow(entry[1]) && withList.has(entry[0]))
    .filter(([, value]) => !listOf(value) && hasNumber(value))
    .map(([name, value]) => ({ name, rows: [value] }));
  const others = outermost
    .filter(([name]) => !withList.has(name))
    .map(([name, value]) => ({ name, rows: rowsOf(name, value) }));
  return findSeries(data).length > 0
    ? [...lists, ...results, ...others]
    : [...results, ...lists, ...others];
}

/** The outermost fields whose values are objects, lists or null. */
export const partsOf = (data: unknown): [name: string, value: unknown][] =>
  isRow(data) ? Object.entries(data).filter(([, value]) => typeof value === 'object') : [];

/** Merges lists in the rows of another list into one that says what each row belongs to; series stay apart. */
function merged(found: readonly Found[]): Found[] {
  const alike = Map.groupBy(found, ({ path, rows }, i) => (isSeries(rows) ? i : path.join(' ')));
  return [...alike.values()].flatMap(([first, ...rest]) => {
    if (!first || rest.length === 0) return first ?? [];
    const rows = [first, ...rest].flatMap(({ around, rows: own }) =>
      own.map((row) => ({ of: identityOf(around) ?? '', ...row })),
    );
    return { ...first, around: [], rows };
  });
}

const isSeries = (rows: readonly Row[]) =>
  rows.length > 1 && rows.every((row) => isPoint(row) && !Number.isNaN(timeOf(row)));

const hasNumber = (row: Row) => Object.values(row).some((value) => typeof value === 'number');

/** The list in a connection. */
function listOf({ nodes, edges }: Row): unknown[] | undefined {
  const list = nodes ?? edges;
  return Array.isArray(list) ? list : undefined;
}

/** The rows of a field without a list. Objects in an object become rows, such as the meters of `usage`. */
function rowsOf(name: string, value: unknown): Row[] {
  if (!isRow(value)) return value === null ? [{ [name]: 'nothing' }] : [];
  if (listOf(value)?.length === 0) return [];
  // The object has nothing but empty lists, such as that of a series without values.
  if (Object.values(flatten(value)).every((cell) => cell === '')) return [];
  const below = Object.entries(value).filter((entry): entry is [string, Row] => isRow(entry[1]));
  return below.length > 1 ? below.map(([key, row]) => ({ [name]: key, ...row })) : [value];
}

/** When the oldest part of the data came from the upstream; undefined if the operation does not ask for that. */
export function retrievedAt(data: unknown): number | undefined {
  const text = JSON.stringify(data) ?? '';
  const times = [...text.matchAll(/"retrievedAt":"([^"]+)"/g)]
    .map(([, time = '']) => Date.parse(time))
    // Other fields may have been given that name.
    .filter((time) => !Number.isNaN(time));
  return times.length > 0 ? Math.min(...times) : undefined;
}
