import { MAX_SEARCHED_ANSWERS, recentKeys } from '../recent.ts';
import { texts } from './hash.ts';
import { script, type Server } from './server.ts';

/**
 * KEYS: ends. ARGV: how many. Returns those that expire last, as `number size key`: the answers of datasets are all
 * kept equally long, so these were stored last.
 */
const LATEST = script(`return redis.call('ZREVRANGE', KEYS[1], 0, ARGV[1] - 1)`, 'no-writes');

/** Returns the keys of the answers that the server got last: see `Shared.recent`. `base`: prefix of all key names. */
export async function recentOn(
  { server, base }: { server: Server; base: string },
  prefix: string,
  maxKeys: number,
): Promise<string[]> {
  const reply = await server.run(LATEST, [`${base}ends`], [MAX_SEARCHED_ANSWERS]);
  return recentKeys(texts.catch([]).parse(reply).map(readMember), prefix, maxKeys);
}

/** Keys may contain spaces. */
function readMember(member: string) {
  const [, size, ...key] = member.split(' ');
  return { key: key.join(' '), bytes: Number(size) };
}
