import type { IncomingMessage, ServerResponse } from 'node:http';
import { USED } from './answers.ts';

/** What pages of other origins may do; browsers ask before they send JSON. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, accept, if-none-match, x-usage-dry-run, apollographql-client-name, apollographql-client-version, apollo-require-preflight',
  'access-control-max-age': '86400',
};

/** Answers a preflight and returns true; lets any other request pass with the origin allowed. */
export type AllowOrigin = (request: IncomingMessage, response: ServerResponse) => boolean;

/** `origins`: exact ones, or `*`. Credentials are never allowed: answers are the same for all. */
export function createAllowOrigin(origins: readonly string[]): AllowOrigin {
  const isOpen = origins.includes('*');
  return ({ method, headers }, response) => {
    const { origin } = headers;
    if (!origin || !(isOpen || origins.includes(origin))) return false;
    response.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
    response.setHeader('access-control-expose-headers', `etag, ${USED}`);
    if (method !== 'OPTIONS' || !headers['access-control-request-method']) return false;
    response.writeHead(204, PREFLIGHT).end();
    return true;
  };
}
