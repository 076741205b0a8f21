import { MAX_DAYS, MAX_LAST } from '../cache/plan.ts';
import { z } from 'zod';
import { type Day, formatDay, parseDay, type Span } from '../time.ts';
import { badInput } from '../upstream/errors.ts';
import { MAX_PAGE, type Position, readCursor } from './page.ts';

/** Checks and normalizes the arguments of fields; the error names the first wrong argument. */

/**
 * Returns the checked arguments. Throws BAD_USER_INPUT with the path of the first wrong one, before anything is sent.
 */
export function parseArguments<T>(schema: z.ZodType<T>, args: unknown): T {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badInput(z.core.toDotPath(issue?.path ?? []), issue?.message ?? 'is not valid');
}

const quoted = (input: unknown) => JSON.stringify(String(input).slice(0, 40));

/** Text of a fixed form; `form` describes it in the error message. */
function text(pattern: RegExp, form: string) {
  return z.string().regex(pattern, { error: ({ input }) => `${quoted(input)} is not ${form}` });
}

export const currencyPair = text(
  /^[a-z]{3}[/-]?[a-z]{3}$/i,
  'a currency pair such as USDTRY',
).transform((value) => value.replace(/[/-]/, '').toUpperCase());
export const currency = text(/^[a-z]{3}$/i, 'a currency code such as TRY').toUpperCase();
export const country = text(/^[a-z]{2}$/i, 'a country code such as TR').toUpperCase();
export const seriesCode = text(
  /^(?=.{1,128}$)[\w-]+(\.[\w-]+)*$/,
  'a series code such as TP.DK.USD.A',
);
export const seriesPrefix = text(/^(?=.{1,128}$)[\w-]+(\.[\w-]+)*\.?$/, 'a prefix such as TP.DK');
/** Contains no commas, which separate symbols in the upstream's parameter. */
export const symbol = text(/^[^\s,\p{C}]{1,40}$/u, 'a ticker such as BTC').toUpperCase();
/** Free text that the upstream searches or filters by. It may contain joiners, which some letters and emoji need. */
export const phrase = text(
  /^(?=.{1,200}$)[^\p{Cc}\p{Cs}]*[^\p{C}\s][^\p{Cc}\p{Cs}]*$/u,
  'text of 1 to 200 characters without control characters',
).trim();

const day = z.string().transform((value, context): Day => {
  const parsed = parseDay(value);
  if (parsed !== undefined) return parsed;
  context.addIssue(`${quoted(value)} is not a calendar date (YYYY-MM-DD)`);
  return z.NEVER;
});

/** The two arguments of every range of days. */
export const range = { start: day.nullish(), end: day.nullish() };

/** The argument for the last values of a series. LAST_VALUES is the end of its description. */
export const lastCount = z
  .number()
  .min(1, 'must be at least 1')
  .max(MAX_LAST, `must be at most ${MAX_LAST}`)
  .nullish();
export const LAST_VALUES = `1 to ${MAX_LAST}; values more than ${MAX_DAYS} days back are not searched for.`;

/** Maximum number of items in a list argument, unless its description says otherwise. */
export const MAX_ITEMS = 500;
/** The error message for a longer list. */
export const TOO_MANY_ITEMS = `must have at most ${MAX_ITEMS} items`;
/** Ends the description of an argument that is a list. */
export const AT_MOST = `at most ${MAX_ITEMS}.`;

/**
 * A list of at most MAX_ITEMS items; the check stops at the first wrong one. The result is remembered while the list is
 * in use, since many fields of an operation may share a variable.
 */
export function listOf<T>(item: z.ZodType<T>) {
  const checked = new WeakMap<readonly unknown[], { items: T[] } | Issue>();
  // Unlike z.array, this passes on the list itself, by which the result is remembered.
  return z
    .custom<readonly unknown[]>(Array.isArray)
    .refine(({ length }) => length <= MAX_ITEMS, TOO_MANY_ITEMS)
    .transform((values, context): T[] => {
      const result = checked.get(values) ?? checkItems(values, item);
      checked.set(values, result);
      if ('items' in result) return result.items;
      context.addIssue({ code: 'custom', ...result });
      return z.NEVER;
    });
}

interface Issue {
  path: PropertyKey[];
  message: string;
}

function checkItems<T>(values: readonly unknown[], item: z.ZodType<T>): { items: T[] } | Issue {
  const items: T[] = [];
  for (const [index, value] of values.entries()) {
    const { success, data, error } = item.safeParse(value);
    if (!success) return { path: [index], message: error.issues[0]?.message ?? 'is not valid' };
    items.push(data);
  }
  return { items };
}

/** Number of items from which a list is searched as a set; shorter lists are scanned. */
const MIN_SET_ITEMS = 16;
const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>();

/** Whether a value passes a list filter. Every value passes if there is no list, or an empty one. */
export function isAmong<T>(value: T, list: readonly T[] | null | undefined): boolean {
  if (!list || list.length === 0) return true;
  if (list.length < MIN_SET_ITEMS) return list.includes(value);
  const set = sets.get(list) ?? new Set(list);
  sets.set(list, set);
  return set.has(value);
}

const pageSize = z
  .number()
  .min(0, 'must not be negative')
  .max(MAX_PAGE, `must be at most ${MAX_PAGE}`)
  .nullish();

/** The arguments of a connection field. A cursor of another kind of list is an error; an empty one counts as none. */
export function paging(kind: string) {
  const cursor = z
    .string()
    .transform((value, context): Position | null => {
      const position = value === '' ? null : readCursor(kind, value);
      if (position !== undefined) return position;
      context.addIssue('is not a cursor of this list');
      return z.NEVER;
    })
    .nullish();
  return { first: pageSize, after: cursor, last: pageSize, before: cursor };
}

interface Ends {
  start?: Day | null | undefined;
  end?: Day | null | undefined;
}

/**
 * The days from `start` to `end`, with defaults for those that are left out. `path`: what precedes the names of the two
 * arguments in error messages, e.g. `filter.`. Throws BAD_USER_INPUT.
 */
export function spanOf({ start, end }: Ends, defaults: Span, path = ''): Span {
  const span = { start: start ?? defaults.start, end: end ?? defaults.end };
  const [first, last] = [formatDay(span.start), formatDay(span.end)];
  if (span.start > span.end) {
    if (typeof start !== 'number')
      throw badInput(
        `${path}end`,
        `${last} is before start, which defaults to ${first}; pass a start as well`,
      );
    const which = typeof end === 'number' ? last : `which defaults to ${last}; pass an end as well`;
    throw badInput(`${path}start`, `${first} is after end, ${which}`);
  }
  if (span.end - span.start >= MAX_DAYS)
    throw badInput(`${path}start`, `${first} to ${last} is more than ${MAX_DAYS} days`);
  return span;
}

/**
 * For subscriptions to new records, whose day is `first` or later. Throws BAD_USER_INPUT if none of them could lie in
 * the range of the filter, which may be open at either end.
 */
export function checkNotPast(first: Day, { start, end }: Ends): void {
  if (typeof end !== 'number') return;
  if (typeof start === 'number') spanOf({ start, end }, { start, end }, 'filter.');
  if (isPast(first, { end }))
    throw badInput('filter.end', `${formatDay(end)} is in the past: no new records can match`);
}

/** Whether a range ends before `first`. */
export const isPast = (first: Day, { end }: Ends): boolean =>
  typeof end === 'number' && end < first;

/** Whether a day lies in a range, which may be open at either end. */
export const isWithin = (candidate: Day, { start, end }: Ends): boolean =>
  candidate >= (start ?? -Infinity) && candidate <= (end ?? Infinity);
