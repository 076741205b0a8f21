import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { connectionAddress } from './http-message.ts';
import { connectionNetwork, networkOf } from './networks.ts';

/** The address of the client that sends a request, as `networkOf` returns it; '' if it is unknown. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Without proxies the address is that of the connection. Behind trusted proxies it is the last address in
 * X-Forwarded-For that is not such a proxy itself: the client may have made up those before it.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const isTrusted = createIsTrusted(trusted);
  if (!isTrusted) return connectionNetwork;
  return (request) => {
    let address = bareAddress(connectionAddress(request));
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
    while (forwarded.length > 0 && isTrusted(address)) {
      const next = bareAddress(forwarded.pop() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return networkOf(address);
  };
}

/** Returns a test for the proxies of TRUST_PROXY (addresses, or networks such as `10.0.0.0/8`); undefined if none. */
export function createIsTrusted(
  trusted: readonly string[],
): ((address: string) => boolean) | undefined {
  if (trusted.length === 0) return undefined;
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Strips the port, and the prefix that IPv4 addresses have on a dual-stack socket. */
function bareAddress(address: string): string {
  const trimmed = address.trim();
  const [, inBrackets] = /^\[(.*)\](?::\d+)?$/.exec(trimmed) ?? [];
  const [, ipv4] = /^(?:::ffff:)?(\d+(?:\.\d+){3})(?::\d+)?$/i.exec(trimmed) ?? [];
  return inBrackets ?? ipv4 ?? trimmed;
}
