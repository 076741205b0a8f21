import { z } from 'zod';
import type { Dialect } from './dialect.ts';

/** Group B: legislation, calendar, crypto (spec sections 2.4, 5 and 7). Its 429 is about a second. */
export const groupB: Dialect = {
  group: 'B',
  headers: (key) => ({ authorization: `apikey ${key}`, accept: 'application/json' }),
  envelope: z.compile(
    z.object({
      success: z.literal(true),
      // Numbers beside the data are read with care: an odd one must not cost an answer that is paid.
      total: z.unknown().optional(),
      timezone: z.string().nullish(),
      timestamp: z.string().nullish(),
      data: z.array(z.unknown()),
    }),
  ),
  codes: {
    invalid_api_key: 'UPSTREAM_AUTHENTICATION',
    insufficient_credits: 'INSUFFICIENT_CREDITS',
    invalid_parameter: 'BAD_USER_INPUT',
    rate_limited: 'RATE_LIMITED',
    no_data: 'NOT_FOUND',
  },
  statuses: {
    400: 'BAD_USER_INPUT',
    401: 'UPSTREAM_AUTHENTICATION',
    402: 'INSUFFICIENT_CREDITS',
    403: 'UPSTREAM_AUTHENTICATION',
    404: 'NOT_FOUND',
    422: 'BAD_USER_INPUT',
    429: 'RATE_LIMITED',
  },
};
