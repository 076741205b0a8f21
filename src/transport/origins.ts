import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../config/loopback.ts';

/**
 * Which web pages may use the endpoint. A browser sends a cross-site GET, form or WebSocket upgrade
 * without a CORS preflight: it would spend units for a page that nobody has permitted.
 */

/** Who may ask, according to CORS_ORIGINS and ALLOWED_HOSTS. */
export interface OriginRules {
  /** Origins of other sites whose pages may ask, such as `https://a.example`; `*` for all. */
  origins: readonly string[];
  /** Whether pages of a further origin may ask, with the keys of certain clients. */
  isClientOrigin?: ((origin: string) => boolean) | undefined;
  /** Host names that requests may name, in lower case and without a port; undefined: any. */
  hosts: readonly string[] | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the names of a listener on `host` to which only this machine can connect; undefined for any other. */
export const loopbackNames = (host: string): readonly string[] | undefined =>
  isLoopback(host) ? [...LOOPBACK, host.toLowerCase()] : undefined;

/** Without ALLOWED_HOSTS, a listener to which only this machine can connect serves only its own names. */
export function originRules(config: {
  host: string;
  corsOrigins: readonly string[];
  allowedHosts: readonly string[];
}): OriginRules {
  const { host, corsOrigins: origins, allowedHosts } = config;
  if (allowedHosts.includes('*')) return { origins, hosts: undefined };
  if (allowedHosts.length > 0) return { origins, hosts: allowedHosts };
  return { origins, hosts: loopbackNames(host) };
}

export type ForbiddenReason = 'host' | 'origin' | 'origin of client';

/**
 * Returns why a request must be refused before anything runs; undefined if it may run. `host`: it names a host
 * that is not served here, as does a page whose own name resolves to this machine (DNS rebinding).
 * `origin`: a page of another site sends it, and no preflight has permitted it. Clients other than
 * browsers send neither Origin nor Sec-Fetch-Site, and pass. `ownOrigins`: the only origins whose pages may
 * use the key that was sent (`origin of client`: the page's origin is not among these, or only other clients have it).
 */
export function forbiddenReason(
  headers: IncomingHttpHeaders,
  { origins, hosts, isClientOrigin }: OriginRules,
  ownOrigins?: readonly string[],
): ForbiddenReason | undefined {
  if (hosts && !isServed(headers.host, hosts)) return 'host';
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (ownOrigins && origin !== undefined && site !== 'same-origin')
    return isPermitted(origin, headers.host, ownOrigins) ? undefined : 'origin of client';
  if (origin === undefined && site === undefined) return undefined;
  // `none`: a user entered the address.
  if (site === 'same-origin' || site === 'none') return undefined;
  if (origin !== undefined && isPermitted(origin, headers.host, origins)) return undefined;
  if (origins.includes('*')) return undefined;
  // Its preflight has passed only because some clients have this origin.
  if (origin !== undefined && isClientOrigin?.(origin)) return 'origin of client';
  return hasPassedPreflight(headers) ? undefined : 'origin';
}

/**
 * Whether this GET may come from a page of another site although no header says so: browsers send Sec-Fetch-Site only
 * to HTTPS and to their own machine, and no Origin with images and scripts.
 */
export function mayBeForeign(headers: IncomingHttpHeaders, { origins }: OriginRules): boolean {
  const { origin, host, referer = '' } = headers;
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined) return false;
  if (!headers['user-agent']?.startsWith('Mozilla/') || origins.includes('*')) return false;
  const isOwn = host !== undefined && URL.parse(referer)?.host === host.toLowerCase();
  return !isOwn && !hasPassedPreflight(headers);
}

const COLON = 58;

/** Runs for every request: usually the host is written as it is listed. A request without one is not a browser's. */
function isServed(host: string | undefined, hosts: readonly string[]): boolean {
  if (!host) return true;
  for (const name of hosts)
    if (host.startsWith(name) && (host === name || host.charCodeAt(name.length) === COLON))
      return true;
  return hosts.includes(host.replace(/:\d*$/, '').toLowerCase());
}

/** The gateway's own origin is recognized by the host alone: behind a proxy that ends TLS the scheme is unknown. */
function isPermitted(
  origin: string,
  host: string | undefined,
  origins: readonly string[],
): boolean {
  const isOwn = host !== undefined && /^https?:\/\/(.*)$/.exec(origin)?.[1] === host.toLowerCase();
  return isOwn || origins.includes(origin) || origins.includes('*');
}

/** Headers that no page of another site can send without a preflight. */
export const PREFLIGHT_HEADERS = [
  'x-graphql-yoga-csrf',
  'apollo-require-preflight',
  'graphql-require-preflight',
];
const PREFLIGHT_TYPE = /^application\/(json|graphql)/i;

function hasPassedPreflight(headers: IncomingHttpHeaders): boolean {
  return (
    PREFLIGHT_TYPE.test(headers['content-type'] ?? '') ||
    PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)
  );
}
