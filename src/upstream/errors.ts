import { GraphQLError } from 'graphql';
import { type Group, groupOf, labelOf, type Meter } from '../meters.ts';
import type { BudgetState, UsedUp } from '../usage/units.ts';

/** Everything that can go wrong with a field: the message that clients see, and whether a retry may succeed. */
const FAILURES = {
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

const EXHAUSTED: Readonly<Record<Group, FailureCode>> = {
  A: 'QUOTA_EXCEEDED',
  B: 'INSUFFICIENT_CREDITS',
};

/**
 * The error for a meter that is known to be used up, or to leave less than a request is expected to cost: nothing is
 * sent. `own`: our own limit, if that leaves too little; otherwise the upstream refused, which does not say when the
 * meter resets.
 */
export function exhausted(meter: Meter, own?: UsedUp): NotSent {
  const group = groupOf(meter);
  const code = EXHAUSTED[group];
  if (!own) return new NotSent(code, { group, meter });
  const details = { limit: own.limit, resetsAt: new Date(own.resetsAt).toISOString() };
  const unsure = own.uncertain > 0 ? `, ${own.uncertain} of which may not have been charged` : '';
  const message = `${FAILURES[code].message} (${meter} limit: ${details.limit}${unsure}); resets at ${details.resetsAt}`;
  return new NotSent(code, { group, meter, message, details });
}

/** The error for a request that would only refresh what is cached, while units are kept for new questions. */
export function refreshRefused(meter: Meter): NotSent {
  const group = groupOf(meter);
  return new RefreshRefused(EXHAUSTED[group], { group, meter });
}

/** The fields of an error about exceeding a limit of one operation; `setting` tells programs which limit. */
const aboutLimit = (meter: Meter, message: string, setting: string, limit: number) => ({
  group: groupOf(meter),
  meter,
  message,
  details: { setting, limit },
});

/** The error for an operation that has sent all the requests it may (`max`): none is sent for this meter. */
export function overRequestLimit(meter: Meter, max: number): NotSent {
  const setting = 'MAX_UPSTREAM_REQUESTS_PER_OPERATION';
  const message = `One operation may send ${max} upstream requests (${setting}), and this one has sent that many`;
  return new NotSent('UPSTREAM_BUDGET_EXCEEDED', aboutLimit(meter, message, setting, max));
}

/** The operation would exceed what its client's operations may spend; those of other clients may spend more. */
export class OverUnits extends NotSent {}

/** The error for an operation that has too few units left of those that its client's operations may spend (`max`). */
export function overUnits(meter: Meter, max: number): OverUnits {
  const setting = 'maxUnitsPerOperation';
  const message = `One operation of this client may spend ${max} units (${setting}), and this one has too few of them left`;
  return new OverUnits('UPSTREAM_BUDGET_EXCEEDED', aboutLimit(meter, message, setting, max));
}

/** The error for an operation whose key has been revoked since it began. */
export const revokedKey = () => new NotSent('UNAUTHENTICATED');

/** The error for a client with a budget that leaves too little for a request until `resetsAt`. */
export function overClientBudget(
  client: string,
  { meter, window, limit, resetsAt }: BudgetState,
): NotSent {
  const until = new Date(resetsAt).toISOString();
  const budget = `budget of ${limit} (${labelOf(meter)}) for this ${window.toLowerCase()}`;
  const message = `The client ${client} has too little left of its ${budget}; resets at ${until}`;
  const details = { client, window, limit, resetsAt: until };
  return new NotSent('CLIENT_BUDGET_EXCEEDED', { group: groupOf(meter), meter, message, details });
}

/** The error for a wrong argument; `argument` is its path, e.g. `filter.start`. Nothing was sent upstream. */
export function badInput(argument: string, problem: string): MarketError {
  return new MarketError('BAD_USER_INPUT', { message: `${argument}: ${problem}` });
}
