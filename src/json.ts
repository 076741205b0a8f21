import { z } from 'zod';

/** The value of a JSON text; undefined where the text is not JSON. Never throws. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field that may be absent. A value of an unexpected type counts as missing, and does not make its record invalid. */
export const optional = z.unknown().optional();

/** What a value is where it is a text; null where it is anything else. */
export const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** The same for a number; one that is too large for JavaScript is none. */
export const numberOrNull = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Whether a parsed JSON value is an object, or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The field of that name of a parsed JSON value; undefined where it has none, or is no object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether GraphQL's Int can hold a value. */
export function isInt(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31;
}

const TEXT = Symbol('JSON text');

/** An object that is JSON text already: read it with `jsonOf`. Whoever stringifies it gets the same. */
export function jsonText(text: string) {
  return { [TEXT]: text, toJSON: (): unknown => JSON.parse(text) };
}

/** Whether an object is one of `jsonText`. */
export function isJsonText(value: object): value is { [TEXT]: string } {
  return TEXT in value;
}

/** The JSON text of a value, which may be one of `jsonText`. */
export function jsonOf(value: unknown): string {
  const isText = isObject(value) && isJsonText(value);
  return isText ? value[TEXT] : JSON.stringify(value);
}

/**
 * The same text in one piece. One that was put together keeps all its pieces in memory, several times
 * its length, until a single character of it is asked for.
 */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
