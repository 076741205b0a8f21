import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type ErrorCode } from './errors.ts';
import type { Authorize, Dialect } from './handler.ts';
import type { Meters } from './meters.ts';

/** How each group expects its key (section 5), and how it writes errors (section 7). */

const INVALID = 'The API key is invalid or revoked';

/** What follows the scheme and one space in the Authorization header; null when it names another scheme. */
function credentials(headers: IncomingHttpHeaders, scheme: string): string | null {
  const [word, key, ...rest] = (headers.authorization ?? '').split(' ');
  if (word?.toLowerCase() !== scheme || key === undefined || rest.length > 0) return null;
  return key;
}

/** X-API-Key, or Authorization: Bearer. Not in the spec: X-API-Key wins when both are sent. */
function authorizeA(key: string): Authorize {
  return (headers) => {
    const given = headers['x-api-key'] ?? credentials(headers, 'bearer');
    if (given === null) throw new ApiError('missing_api_key', 'Send X-API-Key or a bearer token');
    if (given !== key) throw new ApiError('invalid_api_key', INVALID);
  };
}

/** Authorization: apikey KEY. A missing header and a wrong key give the same error. */
function authorizeB(key: string): Authorize {
  return (headers) => {
    if (credentials(headers, 'apikey') !== key) throw new ApiError('invalid_api_key', INVALID);
  };
}

/** Section 7. Not in the spec, and so chosen here: the 404 of not_found, 405, Group A's 400. */
const STATUS: Record<ErrorCode, number> = {
  missing_api_key: 401,
  invalid_api_key: 401,
  quota_exceeded: 429,
  insufficient_credits: 402,
  invalid_parameter: 422,
  rate_limited: 429,
  no_data: 404,
  not_found: 404,
  method_not_allowed: 405,
};

/** Group A: sections 2.1, 5 and 7. */
export function dialectA(key: string): Dialect {
  return {
    authorize: authorizeA(key),
    checkRate: () => {},
    statusOf: { ...STATUS, invalid_parameter: 400 },
    errorFields: ({ code, message }) => ({ error: code, message }),
    leadingFields: (success) => ({ success }),
  };
}

/** Group B: sections 2.4, 5 and 7. Not in the spec: the shape of its error body. */
export function dialectB(key: string, meters: Meters): Dialect {
  return {
    authorize: authorizeB(key),
    checkRate: meters.checkRate,
    statusOf: STATUS,
    errorFields: ({ code, message }) => ({ code, message }),
    leadingFields: (success) => ({
      success,
      ...(success ? { creditsUsed: 1 } : {}),
      creditsRemaining: meters.creditsRemaining(),
    }),
  };
}
