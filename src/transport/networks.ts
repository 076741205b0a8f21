import type { IncomingMessage } from 'node:http';
import { createBoundedMap } from '../bounded-map.ts';
import { connectionAddress } from './http-message.ts';

/** What stands for a client where shares and bounds are by address. */

const MAX_KNOWN = 1000;
const known = createBoundedMap<string, string>(MAX_KNOWN);

/**
 * Of IPv6 the network of 64 bits, however the address is written, since whoever has one address of it has all of them;
 * of IPv4 the address.
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
  // One of IPv4, in a notation of IPv6.
  if (compressed === undefined || compressed.startsWith('::ffff:')) return compressed ?? address;
  const [head = '', tail = ''] = compressed.split('::');
  const [first = [], last = []] = [head, tail].map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/** The one way to write it that is the shortest; undefined where it is no address of IPv6. */
function compress(address: string): string | undefined {
  const [withoutInterface] = address.split('%');
  const url = URL.parse(`http://[${withoutInterface}]`);
  return url?.hostname.slice(1, -1);
}
