import { authoriseA, authoriseB } from './auth.ts';
import type { Dialect } from './gate.ts';
import type { Meters } from './meters.ts';
import type { RefusalCode } from './refusal.ts';

/** Section 7. Not shown, and so chosen here: 404, 405, Group A's 400. */
const STATUS: Record<RefusalCode, number> = {
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
    authorise: authoriseA(key),
    pace: () => {},
    statusOf: { ...STATUS, invalid_parameter: 400 },
    errorFields: ({ code, message }) => ({ error: code, message }),
    leadingFields: (success) => ({ success }),
  };
}

/** Group B: sections 2.4, 5 and 7. Not shown: the shape of its error body. */
export function dialectB(key: string, meters: Meters): Dialect {
  return {
    authorise: authoriseB(key),
    pace: meters.pace,
    statusOf: STATUS,
    errorFields: ({ code, message }) => ({ code, message }),
    leadingFields: (success) => ({
      success,
      ...(success ? { creditsUsed: 1 } : {}),
      creditsRemaining: meters.creditsRemaining(),
    }),
  };
}
