import { z } from 'zod';
import { script, type Server } from './server.ts';

/** KEYS: a hash. */
const READ = script(`return redis.call('HGETALL', KEYS[1])`, 'no-writes');

/** A text in a reply of the server. */
export const text = z.union([z.string(), z.instanceof(Buffer).transform(String)]);
export const texts = z.array(text);

/** Returns the fields of a hash with their values; undefined if they cannot be read at present. */
export async function readHash(
  server: Server,
  key: string,
): Promise<(readonly [string, string])[] | undefined> {
  const { success, data } = texts.safeParse(await server.run(READ, [key], []));
  if (!success) return undefined;
  return pairsOf(data);
}

/** Turns a list of alternating names and values, as the server gives it, into pairs. */
export function pairsOf(list: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}
