import { z } from 'zod';
import { LOOKED_THROUGH, recentKeys } from '../recent.ts';
import { script, type Server } from './server.ts';

/** KEYS: ends. ARGV: how many. Returns those that end last, which came last, as `number size key`. */
const LATEST = script(`return redis.call('ZREVRANGE', KEYS[1], 0, ARGV[1] - 1)`, 'no-writes');

const members = z.array(z.instanceof(Buffer));

/** The keys of the answers that a server got last: see `Shared`. `base`: what names of keys begin with. */
export async function recentOn(
  { server, base }: { server: Server; base: string },
  prefix: string,
  most: number,
): Promise<string[]> {
  const reply = await server.run(LATEST, [`${base}ends`], [LOOKED_THROUGH]);
  return recentKeys(members.catch([]).parse(reply).map(readMember), prefix, most);
}

/** Keys may have spaces in them. */
function readMember(member: Buffer) {
  const [, size, ...key] = String(member).split(' ');
  return { key: key.join(' '), bytes: Number(size) };
}
