/** Series and lists in the data of a response, wherever they stand. */

export interface Candle {
  open: number;
  high: number;
  low: number;
  close: number;
}

export interface Series {
  name: string;
  /** Seconds since 1970, in order. */
  times: number[];
  /** One for each time; of candles the closing values. */
  values: number[];
  /** Where the response has some. */
  candles: Candle[] | undefined;
}

export type Row = Readonly<Record<string, unknown>>;

export interface List {
  name: string;
  rows: readonly Row[];
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists of objects, with the objects around each, the innermost last. */
function* listsIn(
  value: unknown,
  path: readonly string[],
  around: readonly Row[],
): Generator<{ path: readonly string[]; around: readonly Row[]; rows: readonly Row[] }> {
  if (Array.isArray(value)) {
    const rows = value.filter(isRow);
    if (rows.length > 0 && rows.length === value.length) yield { path, around, rows };
    for (const row of rows) yield* inside(row, path, around);
  } else if (isRow(value)) yield* inside(value, path, around);
}

function* inside(
  row: Row,
  path: readonly string[],
  around: readonly Row[],
): ReturnType<typeof listsIn> {
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

/** Lists of objects with a date and a value, or with a candle; of the same object only the candles. */
export function findSeries(data: unknown): Series[] {
  const all = [...listsIn(data, [], [])].filter(
    ({ rows }) =>
      rows.length > 1 && rows.every((row) => isPoint(row) && !Number.isNaN(timeOf(row))),
  );
  const withCandles = new Set(
    all.filter(({ rows }) => rows.every(isCandle)).map(({ around }) => around.at(-1)),
  );
  const found = all.filter(
    ({ rows, around }) => rows.every(isCandle) || !withCandles.has(around.at(-1)),
  );
  const names = namesOf(found);
  return found.map(({ rows }, i) => {
    const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b));
    const hasCandles = sorted.every(isCandle);
    return {
      name: names[i] ?? '',
      times: sorted.map(timeOf),
      values: sorted.map((row) => Number(hasCandles ? row['close'] : row['value'])),
      candles: hasCandles ? (sorted as unknown as Candle[]) : undefined,
    };
  });
}

/** Names objects by what tells them apart, the path where nothing does. */
function namesOf(found: readonly { path: readonly string[]; around: readonly Row[] }[]): string[] {
  const names = found.map(({ path, around }) => identityOf(around) ?? path[0] ?? 'series');
  const isRepeated = (name: string) => names.filter((each) => each === name).length > 1;
  return names.map((name, i) =>
    isRepeated(name)
      ? `${name} (${found[i]?.path.filter((part) => part !== 'points').join(' ')})`
      : name,
  );
}

const IDENTITIES = ['pair', 'symbol', 'name', 'title', 'code'];

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
 * Every list of objects, and the outermost objects that have numbers of their own, as lists of one: before the
 * lists, since a conversion is asked for its result, but where there is a chart, whose points people look for.
 * Without any list, all outermost objects.
 */
export function findLists(data: unknown): List[] {
  const outermost = isRow(data)
    ? Object.entries(data).filter((entry): entry is [string, Row] => isRow(entry[1]))
    : [];
  const lists = [...listsIn(data, [], [])].map(({ path, around, rows }) => ({
    name: [identityOf(around), ...path.filter((part) => part !== 'nodes')]
      .filter(Boolean)
      .join(' '),
    rows,
  }));
  if (lists.length === 0) return outermost.map(([name, value]) => objectAsList(name, value));
  const results = outermost
    .filter(([, value]) => !('nodes' in value) && hasNumber(value))
    .map(([name, value]) => ({ name, rows: [value] }));
  return findSeries(data).length > 0 ? [...lists, ...results] : [...results, ...lists];
}

const hasNumber = (row: Row) => Object.values(row).some((value) => typeof value === 'number');

/** Objects in an object become rows, as meters in the usage. */
function objectAsList(name: string, value: Row): List {
  const { nodes } = value;
  if (Array.isArray(nodes) && nodes.length === 0) return { name, rows: [] };
  const below = Object.entries(value).filter((entry): entry is [string, Row] => isRow(entry[1]));
  return below.length > 1
    ? { name, rows: below.map(([key, row]) => ({ [name]: key, ...row })) }
    : { name, rows: [value] };
}

/** Columns of a list: what is no list, objects opened up to two levels deep. */
export function flatten(row: Row, prefix = '', depth = 0): Row {
  const cells = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    const column = prefix === '' ? name : `${prefix} ${name}`;
    if (Array.isArray(value))
      return value.every((each) => typeof each !== 'object') ? [[column, value.join(', ')]] : [];
    if (!isRow(value)) return [[column, value]];
    return depth < 2 ? Object.entries(flatten(value, column, depth + 1)) : [];
  });
  return Object.fromEntries(cells);
}

/** When the oldest part of the data came from the upstream, where the operation asks for that. */
export function retrievedAt(data: unknown): number | undefined {
  const text = JSON.stringify(data) ?? '';
  const times = [...text.matchAll(/"retrievedAt":"([^"]+)"/g)].map(([, time = '']) =>
    Date.parse(time),
  );
  return times.length > 0 ? Math.min(...times) : undefined;
}
