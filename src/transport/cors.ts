import type { HttpReply, HttpRequest } from './http-message.ts';
import { USED } from './http-reply.ts';
import { CLIENT_NAME, DRY_RUN } from './http-request.ts';
import { type OriginRules, PREFLIGHT_HEADERS } from './origins.ts';

/** CORS: what browsers are told about pages of other origins. */

/** Headers that pages with tracing send with each request (W3C Trace Context and Baggage). */
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage'];

/** What pages of other origins may do, which browsers ask before they send JSON. */
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
 * Returns the headers that let a page of another origin read the reply; undefined if it may not. Pages of
 * listed origins may send cookies, which proxies in front may require. If all origins may ask, the
 * headers are the same for each, so that a shared cache may send them to everybody.
 */
export function createCorsHeaders({ origins, isClientOrigin }: OriginRules): CorsHeaders {
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
    if (listed || !isClientOrigin?.(origin)) return listed;
    return { ...expose, 'access-control-allow-origin': origin };
  };
}

/** Returns the answer to a preflight request; undefined for any other request. */
export function preflightReply({ method, headers }: HttpRequest): HttpReply | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'];
  return isPreflight ? { status: 204, headers: PREFLIGHT, body: [] } : undefined;
}
