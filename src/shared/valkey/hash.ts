import { z } from 'zod';

/** Reads texts in replies of the server, and the fields of its hashes, which come as one list. */

/** A text in a reply of the server. */
export const text = z.union([z.string(), z.instanceof(Buffer).transform(String)]);
export const texts = z.array(text);

/** Turns a list of alternating names and values, as the server gives it, into pairs. */
export function pairsOf(list: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}
