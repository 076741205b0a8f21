import { z } from 'zod';
import { optional } from '../json.ts';
import type { Group } from '../meters.ts';
import type { FailureCode } from './errors.ts';

/**
 * The envelope around the records of a success answer, with everything that either group may state. Optional fields may
 * hold anything: an odd value must not make an answer unreadable that is paid for.
 */
export interface Envelope {
  data: unknown[];
  source?: string | undefined;
  asOf?: string | undefined;
  license?: unknown;
  cached?: unknown;
  total?: unknown;
  timezone?: unknown;
  convert?: unknown;
  timestamp?: unknown;
  /** Set if a status (404 or 204) stood for it: nothing matches. */
  isAbsent?: true;
  /** Set if the body of that 404 had the code for it: it is not from an intermediary. */
  saysNoData?: true;
}

/**
 * `NOT_FOUND` is not a failure yet: the endpoint decides whether it means that nothing matches. `URL_TOO_LONG` is
 * `BAD_USER_INPUT` for a reason that the status tells.
 */
type Refusal = FailureCode | 'NOT_FOUND' | 'URL_TOO_LONG';

/** How one group authenticates, wraps its data and refuses requests. */
export interface Dialect {
  group: Group;
  headers(key: string): Record<string, string>;
  envelope: z.ZodType<Envelope>;
  /** Whether answers state their cost and the balance. If not, each costs one unit (spec section 8). */
  statesUnits: boolean;
  /** The meaning of each status of a refusal. */
  statuses: Readonly<Record<number, Refusal>>;
}

const STATUSES = {
  400: 'BAD_USER_INPUT',
  401: 'UPSTREAM_AUTHENTICATION',
  403: 'UPSTREAM_AUTHENTICATION',
  404: 'NOT_FOUND',
  414: 'URL_TOO_LONG',
  422: 'BAD_USER_INPUT',
  431: 'URL_TOO_LONG',
  // A proxy in front of the upstream gave up waiting: the request has to ask for less.
  504: 'UPSTREAM_TIMEOUT',
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
      license: optional,
      cached: optional,
      data: z.array(z.unknown()),
    }),
  ),
  statesUnits: false,
  statuses: { ...STATUSES, 429: 'QUOTA_EXCEEDED' },
};

/**
 * Legislation, calendar, crypto (spec sections 2.4, 5 and 7). Its 429 means that the limit of requests
 * per second was exceeded.
 */
const groupB: Dialect = {
  group: 'B',
  headers: (key) => ({ authorization: `apikey ${key}`, accept: 'application/json' }),
  envelope: z.compile(
    z.object({
      success: z.literal(true),
      total: optional,
      timezone: optional,
      convert: optional,
      timestamp: optional,
      data: z.array(z.unknown()),
    }),
  ),
  statesUnits: true,
  statuses: { ...STATUSES, 402: 'INSUFFICIENT_CREDITS', 429: 'RATE_LIMITED' },
};

export const DIALECTS: Readonly<Record<Group, Dialect>> = { A: groupA, B: groupB };

/**
 * Returns the meaning of a refusal (spec section 7). The status alone decides: each error code of the spec
 * has one status, and codes with the same group and status mean the same here. The body is not consulted,
 * since it may repeat what a client has sent.
 */
export function refusalWith({ statuses }: Dialect, status: number): Refusal {
  const fallback = status >= 500 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_BAD_RESPONSE';
  return statuses[status] ?? fallback;
}
