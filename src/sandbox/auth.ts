import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.ts';

/** Throws a Refusal when the request's key is missing or wrong. Section 5. */
export type Authorise = (headers: IncomingHttpHeaders) => void;

const INVALID = 'The API key is invalid or revoked';

/** What follows the scheme word and one space; null when the header names another scheme. */
function credentials(headers: IncomingHttpHeaders, scheme: string): string | null {
  const [word, key, ...rest] = (headers.authorization ?? '').split(' ');
  if (word?.toLowerCase() !== scheme || key === undefined || rest.length > 0) return null;
  return key;
}

/** Group A: X-API-Key, or Authorization: Bearer. Not shown: X-API-Key wins when both are sent. */
export function authoriseA(key: string): Authorise {
  return (headers) => {
    const given = headers['x-api-key'] ?? credentials(headers, 'bearer');
    if (given === null) throw new Refusal('missing_api_key', 'Send X-API-Key or a bearer token');
    if (given !== key) throw new Refusal('invalid_api_key', INVALID);
  };
}

/** Group B: Authorization: apikey KEY. A missing header and a wrong key are told alike. */
export function authoriseB(key: string): Authorise {
  return (headers) => {
    if (credentials(headers, 'apikey') !== key) throw new Refusal('invalid_api_key', INVALID);
  };
}
