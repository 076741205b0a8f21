import { GraphQLError } from 'graphql';
import type { Group, Meter } from '../meters.ts';

/** Everything that can go wrong with a field: the message that clients see, and whether a retry may succeed. */
export const FAILURES = {
  BAD_USER_INPUT: { message: 'An argument is wrong', retryable: false },
  UPSTREAM_AUTHENTICATION: { message: 'The upstream refused our key', retryable: false },
  QUOTA_EXCEEDED: { message: 'The monthly quota is used up', retryable: false },
  INSUFFICIENT_CREDITS: { message: 'Too few of the monthly credits are left', retryable: false },
  SPENDING_UNCERTAIN: {
    message: 'The ledger cannot be written right now, so a limit or budget might be exceeded',
    retryable: true,
  },
  UNAUTHENTICATED: { message: 'The key of the client has been revoked', retryable: false },
  CLIENT_BUDGET_EXCEEDED: {
    message: "Too little is left of the client's budget",
    retryable: false,
  },
  RATE_LIMITED: { message: 'The upstream accepts no more requests right now', retryable: true },
  UPSTREAM_TIMEOUT: { message: 'The upstream did not answer in time', retryable: true },
  UPSTREAM_UNAVAILABLE: { message: 'The upstream is not available', retryable: true },
  UPSTREAM_BAD_RESPONSE: { message: 'The upstream sent an unreadable answer', retryable: false },
  UPSTREAM_BUDGET_EXCEEDED: {
    message: 'This operation has reached its limit of upstream requests or units',
    retryable: false,
  },
} as const;

export type FailureCode = keyof typeof FAILURES;

interface About {
  group?: Group;
  meter?: Meter;
  message?: string;
  /** Further fields of `extensions`, for clients. */
  details?: Readonly<Record<string, unknown>>;
  /** See MarketError. */
  reason?: string | undefined;
  /** See TooLong. */
  share?: number | undefined;
}

/**
 * The one error that fields fail with. It reveals nothing about the upstream except the group: no address,
 * header, body or key (spec section 7).
 */
export class MarketError extends GraphQLError {
  readonly code: FailureCode;
  /** Why a connection failed, e.g. ECONNREFUSED or CERT_HAS_EXPIRED. For the log, never for clients. */
  readonly reason: string | undefined;

  constructor(code: FailureCode, about: About = {}) {
    const { message, retryable } = FAILURES[code];
    const { group, meter, details } = about;
    super(about.message ?? message, {
      extensions: { code, ...(group && { group }), ...(meter && { meter }), ...details, retryable },
    });
    this.code = code;
    this.reason = about.reason;
  }
}

/** No request was sent: the error says nothing about what the upstream would have answered. */
export class NotSent extends MarketError {}

/** Nothing was sent, since what the operation asked for is cached, however old, and units are kept for what is not. */
export class RefreshRefused extends NotSent {}

/** Nothing was sent, since nobody waits for it any more. Those who have joined it meanwhile ask again, and pay. */
export class Abandoned extends NotSent {}

/** Failures that concern the operation that started a request, or that operation's client, not the request itself. */
const CONCERNS_STARTER: readonly FailureCode[] = [
  'RATE_LIMITED',
  'UNAUTHENTICATED',
  'CLIENT_BUDGET_EXCEEDED',
  'SPENDING_UNCERTAIN',
];

/** Whether operations that joined the request may ask for the same again. */
export const concernsStarter = (error: unknown): boolean =>
  error instanceof NotSent && CONCERNS_STARTER.includes(error.code);

/** Whether a request was sent and its reply, or the rest of its body, did not arrive in time. */
export function isTimeout(failure: unknown): failure is MarketError {
  return failure instanceof MarketError && failure.code === 'UPSTREAM_TIMEOUT';
}

/** The request was sent, but no status arrived before the timeout or a broken connection: it may have been charged. */
export class Unanswered extends MarketError {}

/** The upstream answered with a refusal or a failure, such as a 4xx or a 5xx: it counts as free (spec section 8). */
export class FreeRefusal extends MarketError {}

/** The upstream refused the request for its length alone: a shorter one may be answered. */
export class UrlTooLong extends FreeRefusal {}

/** The upstream failed on what only this client asks for, perhaps just because of that: it may be well otherwise. */
export class FailedOnText extends MarketError {}

/**
 * The status arrived, but the body was cut off or still arriving at the timeout: the request may have been charged, and
 * the upstream is alive.
 */
export class IncompleteBody extends MarketError {}

/** Whether the body was still arriving at the timeout: the upstream answers, but not all of it comes in time. */
export const isLateBody = (failure: unknown): failure is IncompleteBody =>
  isTimeout(failure) && failure instanceof IncompleteBody;

/** The body was still arriving at the timeout, and so much of it had arrived that it shows what would be late again. */
export class TooLong extends IncompleteBody {
  /**
   * How much of the body arrives before the timeout, unless it begins late: 1 or more if all of it does. Undefined if the
   * upstream did not state its length.
   */
  readonly share: number | undefined;

  constructor(code: FailureCode, about: About = {}) {
    super(code, about);
    this.share = about.share;
  }
}

/** The gateway aborted the request itself, in order to stop: it may have been charged. */
export class Aborted extends MarketError {}

/** The error for a wrong argument; `argument` is its path, e.g. `filter.start`. Nothing was sent upstream. */
export function badInput(argument: string, problem: string): MarketError {
  return new MarketError('BAD_USER_INPUT', { message: `${argument}: ${problem}` });
}
