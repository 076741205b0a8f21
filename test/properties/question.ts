import * as fc from 'fast-check';
import { formatDay, parseDay } from '../../src/time.ts';

/** A query to the gateway, and the answer that follows from the upstream's own records. */
export interface Question {
  /** A field of Query with its arguments and selection. */
  field: string;
  expected(upstream: Upstream): unknown;
}

export type Row = Record<string, unknown>;

/** Returns the records of a direct answer; none if the upstream says that nothing matches. */
export type Upstream = (
  group: 'A' | 'B',
  path: string,
  query?: Record<string, string | undefined>,
) => readonly Row[];

/** The day at which test clocks stand: a Friday. */
const TODAY = parseDay('2026-11-20')!;

export type Dates = { start?: string | undefined; end?: string | undefined };

/** Ranges around today; each end may be left out if the other one allows its default. */
export function dates({ back, ahead, defaultStart }: Reach): fc.Arbitrary<Dates> {
  const offset = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -Math.min(40, back), max: Math.min(40, ahead) }) },
    { weight: 1, arbitrary: fc.integer({ min: -back, max: ahead }) },
  );
  const day = (n: number) => formatDay(TODAY + n);
  const both = fc.tuple(offset, offset).map(([a, b]) => ({
    start: day(Math.min(a, b)),
    end: day(Math.max(a, b)),
  }));
  return fc.oneof(
    { weight: 6, arbitrary: both },
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: offset.map((n) => ({ start: day(Math.min(0, n)) })) },
    { weight: 1, arbitrary: offset.map((n) => ({ end: day(Math.max(defaultStart, n)) })) },
  );
}

interface Reach {
  back: number;
  ahead: number;
  /** Days from today to the default start of the range. */
  defaultStart: number;
}

/** Draws the nth of a list about 1/n times as often as the first (Zipf). */
export function popular<T>(list: readonly T[]): fc.Arbitrary<T> {
  const steps = 1_000_000;
  return fc
    .noBias(fc.nat(steps - 1))
    .map((step) => list[Math.floor((list.length + 1) ** (step / steps)) - 1]!);
}

/** Up to `maxLength` different ones; undefined in place of an empty list. */
export function upTo<T>(one: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[] | undefined> {
  const list = fc.uniqueArray(one, { maxLength });
  return list.map((values) => (values.length > 0 ? values : undefined));
}

export const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 4 });

/** GraphQL arguments; undefined ones are left out. */
export function args(values: object): string {
  const text = inBraces(values).slice(2, -2);
  return text === '' ? '' : `(${text})`;
}

/** Words of an enum, which are not quoted. */
export class EnumValues {
  readonly words: readonly string[];
  constructor(words: readonly string[]) {
    this.words = words;
  }
}

function literal(value: unknown): string {
  if (value instanceof EnumValues) return `[${value.words.join(', ')}]`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'object' && value ? inBraces(value) : JSON.stringify(value);
}

function inBraces(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return `{ ${given.map(([name, value]) => `${name}: ${literal(value)}`).join(', ')} }`;
}

/** Picks the named fields of records; a field that a record lacks is null. */
export function picked(rows: readonly Row[], fields: string): Row[] {
  const names = fields.split(' ');
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}

/** The result of a list field if these fields of all nodes are selected. */
export function listOf(rows: readonly Row[], fields: string) {
  return { totalCount: rows.length, nodes: picked(rows, fields).slice(0, 500) };
}

export const isIn = <T>(value: T, list: readonly T[] | undefined) =>
  list === undefined || list.includes(value);
