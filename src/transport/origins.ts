import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../config/loopback.ts';

/**
 * Which web pages may use the endpoint. A browser sends a cross-site GET, form or WebSocket upgrade
 * without asking first (a CORS preflight): it would spend units for a page that nobody has permitted.
 */

/** Who may ask, as CORS_ORIGINS and ALLOWED_HOSTS say. */
export interface OriginRules {
  /** Origins of other sites whose pages may ask, such as `https://a.example`; `*` for all. */
  origins: readonly string[];
  /** Further ones, whose pages may ask with the keys of some clients. */
  ofClients?: ((origin: string) => boolean) | undefined;
  /** Host names that requests may name, in lower case and without a port; undefined: any. */
  hosts: readonly string[] | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What a listener on `host` is called where only this machine can connect; undefined: anything. */
export const namesOf = (host: string): readonly string[] | undefined =>
  isLoopback(host) ? [...LOOPBACK, host.toLowerCase()] : undefined;

/** Where nobody has said which hosts are served, and only this machine can connect, only its own names are. */
export function originRules(config: {
  host: string;
  corsOrigins: readonly string[];
  allowedHosts: readonly string[];
}): OriginRules {
  const { host, corsOrigins: origins, allowedHosts } = config;
  if (allowedHosts.includes('*')) return { origins, hosts: undefined };
  if (allowedHosts.length > 0) return { origins, hosts: allowedHosts };
  return { origins, hosts: namesOf(host) };
}

export type Forbidden = 'host' | 'origin' | 'origin of client';

/**
 * Why a request must be refused before anything runs; undefined where it may run. `host`: it names a host
 * that is not served here, as a page does that has its own name point to this machine (DNS rebinding).
 * `origin`: a page of another site sends it, and no preflight has permitted it. Clients that are no
 * browsers send neither Origin nor Sec-Fetch-Site, and pass. `ownOrigins`: the only ones whose pages may
 * ask with the key that came along (`origin of client`: the page is none of these, or only of other clients).
 */
export function forbiddenOrigin(
  headers: IncomingHttpHeaders,
  { origins, hosts, ofClients }: OriginRules,
  ownOrigins?: readonly string[],
): Forbidden | undefined {
  if (hosts && !isServed(headers.host, hosts)) return 'host';
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (ownOrigins && origin !== undefined && site !== 'same-origin')
    return isPermitted(origin, headers.host, ownOrigins) ? undefined : 'origin of client';
  if (origin === undefined && site === undefined) return undefined;
  // `none`: somebody typed the address.
  if (site === 'same-origin' || site === 'none') return undefined;
  if (origin !== undefined && isPermitted(origin, headers.host, origins)) return undefined;
  if (origins.includes('*')) return undefined;
  // A preflight was passed for the sake of the clients that have this origin.
  if (origin !== undefined && ofClients?.(origin)) return 'origin of client';
  return hasPassedPreflight(headers) ? undefined : 'origin';
}

/**
 * Whether a browser may send this GET for a page of another site, and tell nothing of it: to what is neither HTTPS nor
 * this machine browsers send no Sec-Fetch-Site, and with an image or a script no Origin.
 */
export function mayBeForeign(headers: IncomingHttpHeaders, { origins }: OriginRules): boolean {
  const { origin, host, referer = '' } = headers;
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined) return false;
  if (!headers['user-agent']?.startsWith('Mozilla/') || origins.includes('*')) return false;
  const isOwn = host !== undefined && URL.parse(referer)?.host === host.toLowerCase();
  return !isOwn && !hasPassedPreflight(headers);
}

const COLON = 58;

/** Runs for every request: mostly the name stands there as it is listed. A request without one comes from no browser. */
function isServed(host: string | undefined, hosts: readonly string[]): boolean {
  if (!host) return true;
  for (const name of hosts)
    if (host.startsWith(name) && (host === name || host.charCodeAt(name.length) === COLON))
      return true;
  return hosts.includes(host.replace(/:\d*$/, '').toLowerCase());
}

/** Only the host is compared: behind a proxy that ends TLS the scheme is not known. */
function isPermitted(
  origin: string,
  host: string | undefined,
  origins: readonly string[],
): boolean {
  const isOwn = host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1] === host.toLowerCase();
  return isOwn || origins.includes(origin) || origins.includes('*');
}

/** No page of another site can send one of these without a preflight. */
export const PREFLIGHT_HEADERS = [
  'x-graphql-yoga-csrf',
  'apollo-require-preflight',
  'graphql-require-preflight',
];
const PREFLIGHT_TYPE = /^\s*application\/(json|graphql\+json|graphql)\s*([;,]|$)/i;

function hasPassedPreflight(headers: IncomingHttpHeaders): boolean {
  return (
    PREFLIGHT_TYPE.test(headers['content-type'] ?? '') ||
    PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)
  );
}
