import { z } from 'zod';
import type { Group } from '../meters.ts';
import type { FailureCode } from './errors.ts';

/** The envelope around the records of a success answer: what either group may state in it. */
export interface Envelope {
  data: unknown[];
  source?: string | undefined;
  asOf?: string | undefined;
  license?: string | null | undefined;
  cached?: boolean | null | undefined;
  total?: unknown;
  timezone?: string | null | undefined;
  timestamp?: string | null | undefined;
}

/** `NOT_FOUND` is no failure yet: the endpoint knows whether it means that nothing matches. */
export type Refusal = FailureCode | 'NOT_FOUND';

/** How one group authenticates, wraps its data and refuses. */
export interface Dialect {
  group: Group;
  headers(key: string): Record<string, string>;
  envelope: z.ZodType<Envelope>;
  /** Refusals by the upstream's machine code: it counts wherever in the body it stands. */
  codes: Readonly<Record<string, Refusal>>;
  /** Refusals by status, for bodies without a known code. */
  statuses: Readonly<Record<number, Refusal>>;
}

const STATUSES = {
  400: 'BAD_USER_INPUT',
  401: 'UPSTREAM_AUTHENTICATION',
  403: 'UPSTREAM_AUTHENTICATION',
  404: 'NOT_FOUND',
  414: 'BAD_USER_INPUT',
  422: 'BAD_USER_INPUT',
  431: 'BAD_USER_INPUT',
} as const;

/** FX and macro (spec sections 2.1, 5 and 7). Its 429 means that the month's quota is used up. */
const groupA: Dialect = {
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
  statuses: { ...STATUSES, 429: 'QUOTA_EXCEEDED' },
};

/**
 * Legislation, calendar, crypto (spec sections 2.4, 5 and 7). Its 429 means that the limit of requests
 * per second is passed.
 */
const groupB: Dialect = {
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
  statuses: { ...STATUSES, 402: 'INSUFFICIENT_CREDITS', 429: 'RATE_LIMITED' },
};

export const DIALECTS: Readonly<Record<Group, Dialect>> = { A: groupA, B: groupB };

/** What a refused request means. The shape of Group B's error body is not specified (section 7). */
export function refusalOf(dialect: Dialect, status: number, body: string): Refusal {
  for (const word of body.match(/[a-z]+(?:_[a-z]+)+/g) ?? []) {
    const refusal = dialect.codes[word];
    if (refusal) return refusal;
  }
  const fallback = status >= 500 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_BAD_RESPONSE';
  return dialect.statuses[status] ?? fallback;
}
