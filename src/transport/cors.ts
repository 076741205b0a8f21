import type { HttpReply, HttpRequest } from './http-message.ts';
import { USED } from './http-reply.ts';
import { CLIENT_NAME, DRY_RUN } from './http-request.ts';
import { type OriginRules, PREFLIGHT_HEADERS } from './origins.ts';

/** What browsers are told of pages of other origins (CORS). */

/** What pages that trace send with each request (W3C Trace Context, and the baggage that goes with it). */
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage'];

/** What pages of other origins may do; browsers ask before they send JSON. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': [
    'accept',
    'authorization',
    'x-api-key',
    'content-type',
    'if-none-match',
    DRY_RUN,
    CLIENT_NAME,
    'apollographql-client-version',
    ...TRACE_HEADERS,
    ...PREFLIGHT_HEADERS,
  ].join(', '),
  'access-control-max-age': '86400',
  vary: 'Origin',
};

type CorsHeaders = (request: HttpRequest) => HttpReply['headers'] | undefined;

/**
 * The headers by which a page of another origin may read the reply; undefined where it may not. Pages of
 * origins that are listed may send cookies, which proxies in front may want; where all may ask, the
 * header does not depend on who asks, so that a cache in between may send it to everybody.
 */
export function createCorsHeaders({ origins, ofClients }: OriginRules): CorsHeaders {
  const expose = {
    'access-control-expose-headers': `etag, retry-after, ratelimit, ratelimit-policy, ${USED}`,
  };
  const toAll = { ...expose, 'access-control-allow-origin': '*' };
  if (origins.includes('*')) return () => toAll;
  const credentials = { ...expose, 'access-control-allow-credentials': 'true' };
  const byOrigin = new Map(
    origins.map((origin) => [origin, { ...credentials, 'access-control-allow-origin': origin }]),
  );
  return ({ headers: { origin } }) => {
    if (origin === undefined) return undefined;
    const listed = byOrigin.get(origin);
    if (listed || !ofClients?.(origin)) return listed;
    return { ...expose, 'access-control-allow-origin': origin };
  };
}

/** The answer to a browser that asks whether it may ask; undefined for any other request. */
export function preflightReply({ method, headers }: HttpRequest): HttpReply | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'];
  return isPreflight ? { status: 204, headers: PREFLIGHT, body: [] } : undefined;
}
