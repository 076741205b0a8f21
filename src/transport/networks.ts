import type { IncomingMessage } from 'node:http';
import { connectionAddress } from './http-message.ts';
import { remembered } from './remembered.ts';

/** What identifies a client where shares and bounds are by address. */

const MAX_REMEMBERED = 1000;
const networkOfIPv6 = remembered(firstBitsOf, MAX_REMEMBERED);

/**
 * Returns the /64 network of an IPv6 address, however it is written, since whoever has one address of it has them all;
 * an IPv4 address is returned as it is.
 */
export const networkOf = (address: string): string =>
  address.includes(':') ? networkOfIPv6(address) : address;

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
