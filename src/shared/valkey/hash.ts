import { z } from 'zod';
import { script, type Server } from './server.ts';

/** KEYS: a hash. */
const READ = script(`return redis.call('HGETALL', KEYS[1])`, 'no-writes');

/** In what a server replies. */
export const text = z.union([z.string(), z.instanceof(Buffer).transform(String)]);
export const texts = z.array(text);

/** The fields of a hash with their values; undefined where it cannot be read now. */
export async function readHash(
  server: Server,
  key: string,
): Promise<(readonly [string, string])[] | undefined> {
  const { success, data } = texts.safeParse(await server.run(READ, [key], []));
  if (!success) return undefined;
  return pairsOf(data);
}

/** Names and values by turns, as the server gives them, as pairs. */
export function pairsOf(list: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i]!, list[2 * i + 1]!]);
}
