import { ApiError } from './errors.ts';
import { parseDay } from './time.ts';

/** Reads query parameters. Each function throws an ApiError for a value that the spec does not allow. */

/** A first and a last day, both included. */
export interface DayRange {
  start: number;
  end: number;
}

/** A parameter's trimmed text; null when it is absent or empty. Not in the spec: an empty value counts as absent. */
export function readText(query: URLSearchParams, name: string): string | null {
  const text = query.get(name)?.trim();
  return text === undefined || text === '' ? null : text;
}

function readDay(query: URLSearchParams, name: string, fallback: number): number {
  const text = readText(query, name);
  if (text === null) return fallback;
  const day = parseDay(text);
  if (day === null) throw new ApiError('invalid_parameter', `${name} must be a date, YYYY-MM-DD`);
  return day;
}

/** Reads `start` and `end`. Not in the spec: each default applies on its own, and a start after the end is refused. */
export function readRange(query: URLSearchParams, fallback: DayRange): DayRange {
  const start = readDay(query, 'start', fallback.start);
  const end = readDay(query, 'end', fallback.end);
  if (start > end) throw new ApiError('invalid_parameter', 'start must not be later than end');
  return { start, end };
}

/** One of a fixed list of values, compared without regard to case; null when absent. */
export function readChoice<T extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly T[],
): T | null {
  const text = readText(query, name);
  if (text === null) return null;
  const choice = choices.find((known) => known.toLowerCase() === text.toLowerCase());
  if (choice === undefined) {
    throw new ApiError('invalid_parameter', `${name} must be one of ${choices.join(', ')}`);
  }
  return choice;
}

/** Comma-separated codes in upper case, each of the given form; empty when absent. */
export function readCodes(query: URLSearchParams, name: string, form: RegExp): Set<string> {
  const codes = (readText(query, name) ?? '').split(',').map((code) => code.trim().toUpperCase());
  const named = codes.filter((code) => code !== '');
  const wrong = named.find((code) => !form.test(code));
  if (wrong !== undefined) throw new ApiError('invalid_parameter', `${name} has a malformed code`);
  return new Set(named);
}

/** A whole number from 1 to a maximum; null when absent. */
export function readCount(query: URLSearchParams, name: string, max: number): number | null {
  const text = readText(query, name);
  if (text === null) return null;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > max) {
    throw new ApiError('invalid_parameter', `${name} must be a whole number from 1 to ${max}`);
  }
  return count;
}
