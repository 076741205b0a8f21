import type { HttpReply, HttpRequest } from './http-message.ts';
import { USED } from './http-reply.ts';

/** What pages of other origins may do; browsers ask before they send JSON. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, accept, if-none-match, x-usage-dry-run, apollographql-client-name, apollographql-client-version, apollo-require-preflight',
  'access-control-max-age': '86400',
};

/** The headers by which a page of another origin may read the reply; undefined where it may not. */
export type AllowOrigin = (request: HttpRequest) => HttpReply['headers'] | undefined;

/** `origins`: exact ones, or `*`. Credentials are never allowed: answers are the same for all. */
export function createAllowOrigin(origins: readonly string[]): AllowOrigin {
  const isOpen = origins.includes('*');
  return ({ headers: { origin } }) => {
    if (!origin || !(isOpen || origins.includes(origin))) return undefined;
    return {
      'access-control-allow-origin': isOpen ? '*' : origin,
      'access-control-expose-headers': `etag, ${USED}`,
    };
  };
}

/** The answer to a browser that asks whether it may ask; undefined for any other request. */
export function preflightReply({ method, headers }: HttpRequest): HttpReply | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'];
  return isPreflight ? { status: 204, headers: PREFLIGHT, body: [] } : undefined;
}
