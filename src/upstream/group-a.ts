import { z } from 'zod';
import type { Dialect } from './dialect.ts';

/** Group A: FX and macro (spec sections 2.1, 5 and 7). Its 429 is the end of a month's quota. */
export const groupA: Dialect = {
  group: 'A',
  headers: (key) => ({ 'x-api-key': key }),
  envelope: z.compile(
    z.object({
      success: z.literal(true),
      source: z.string(),
      asOf: z.string(),
      license: z.string().nullish(),
      cached: z.boolean().nullish(),
      data: z.array(z.unknown()),
    }),
  ),
  codes: {
    missing_api_key: 'UPSTREAM_AUTHENTICATION',
    invalid_api_key: 'UPSTREAM_AUTHENTICATION',
    quota_exceeded: 'QUOTA_EXCEEDED',
  },
  statuses: {
    400: 'BAD_USER_INPUT',
    401: 'UPSTREAM_AUTHENTICATION',
    403: 'UPSTREAM_AUTHENTICATION',
    404: 'NOT_FOUND',
    422: 'BAD_USER_INPUT',
    429: 'QUOTA_EXCEEDED',
  },
};
