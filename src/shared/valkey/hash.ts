import { z } from 'zod';
import { script, type Server } from './server.ts';

/** KEYS: a hash. */
const READ = script(`return redis.call('HGETALL', KEYS[1])`, 'no-writes');

const texts = z.array(z.union([z.string(), z.instanceof(Buffer).transform(String)]));

/** The fields of a hash with their values; undefined where it cannot be read now. */
export async function readHash(
  server: Server,
  key: string,
): Promise<(readonly [string, string])[] | undefined> {
  const { success, data } = texts.safeParse(await server.run(READ, [key], []));
  if (!success) return undefined;
  // Names and values take turns.
  return Array.from({ length: data.length / 2 }, (_, i) => [data[2 * i]!, data[2 * i + 1]!]);
}
