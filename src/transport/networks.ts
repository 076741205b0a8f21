import type { IncomingMessage } from 'node:http';
import { createBoundedMap } from '../bounded-map.ts';
import { connectionAddress } from './http-message.ts';

/** What identifies a client where shares and bounds are by address. */

const MAX_KNOWN = 1000;
const known = createBoundedMap<string, string>(MAX_KNOWN);

/**
 * Returns the /64 network of an IPv6 address, however it is written, since whoever has one address of it has them all;
 * an IPv4 address is returned as it is.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const found = known.get(address);
  if (found !== undefined) return found;
  const network = firstBitsOf(address);
  known.set(address, network);
  return network;
}

export const connectionNetwork = (request: IncomingMessage): string =>
  networkOf(connectionAddress(request));

function firstBitsOf(address: string): string {
  const compressed = compress(address);
  // An IPv4 address in IPv6 notation.
  if (compressed === undefined || compressed.startsWith('::ffff:')) return compressed ?? address;
  const [head = '', tail = ''] = compressed.split('::');
  const [first = [], last = []] = [head, tail].map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/** Returns the canonical, shortest form of an IPv6 address; undefined if it is none. */
function compress(address: string): string | undefined {
  const [withoutInterface] = address.split('%');
  const url = URL.parse(`http://[${withoutInterface}]`);
  return url?.hostname.slice(1, -1);
}
