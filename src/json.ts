import { z } from 'zod';

/** Parses a JSON text; undefined if it is not JSON. Never throws. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same for a text that people may have edited: some editors put a byte order mark in front, which JSON forbids. */
export const parseEditedJson = (text: string): unknown =>
  parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);

/** A field that may be absent. A value of an unexpected type counts as missing; it does not make its record invalid. */
export const optional = z.unknown().optional();

/** Returns a value that is a string; null for anything else. */
export const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** Returns text that may have been sent as a number, such as that of a law or an article; null for anything else. */
export const textOfNumber = (value: unknown) =>
  textOrNull(typeof value === 'number' ? String(value) : value);

/** An id: text, or a number, which some databases give their records. */
export const recordId = z.union([z.string().min(1), z.int()]);

/** Returns a value that is a finite number; null for anything else. A number too large for JavaScript is not finite. */
export const numberOrNull = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Whether a parsed JSON value is an object or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns a field of a parsed JSON value; undefined if it has no such field, or is not an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether GraphQL's Int can hold a value. */
export function isInt(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31;
}

const TEXT = Symbol('JSON text');

/** Wraps JSON text in an object: `jsonOf` returns the text as it is, and JSON.stringify gives the same value. */
export function jsonText(text: string) {
  return { [TEXT]: text, toJSON: (): unknown => JSON.parse(text) };
}

/** Whether an object was made by `jsonText`. */
export function isJsonText(value: object): value is { [TEXT]: string } {
  return TEXT in value;
}

/** Returns the JSON text of a value, which may have been made by `jsonText`. */
export function jsonOf(value: unknown): string {
  const isText = isObject(value) && isJsonText(value);
  return isText ? value[TEXT] : JSON.stringify(value);
}

/**
 * Returns the same text as one flat string. A concatenated string keeps all its pieces in memory, several times its
 * length, until a character of it is read.
 */
export function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
