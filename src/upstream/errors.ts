import { GraphQLError } from 'graphql';
import type { Meter } from '../usage/operation.ts';

export type Group = 'A' | 'B';

/** Everything that can go wrong with a field: the message clients see, and whether to try again. */
const FAILURES = {
  BAD_USER_INPUT: { message: 'An argument is wrong', retryable: false },
  UPSTREAM_AUTHENTICATION: { message: 'The upstream refused our key', retryable: false },
  QUOTA_EXCEEDED: { message: 'The monthly quota is used up', retryable: false },
  INSUFFICIENT_CREDITS: { message: 'The monthly credits are used up', retryable: false },
  RATE_LIMITED: { message: 'The upstream accepts no more requests right now', retryable: true },
  UPSTREAM_TIMEOUT: { message: 'The upstream did not answer in time', retryable: true },
  UPSTREAM_UNAVAILABLE: { message: 'The upstream is not available', retryable: true },
  UPSTREAM_BAD_RESPONSE: { message: 'The upstream sent an unreadable answer', retryable: false },
  UPSTREAM_BUDGET_EXCEEDED: {
    message: 'This operation has sent as many upstream requests as one operation may',
    retryable: false,
  },
} as const;

export type FailureCode = keyof typeof FAILURES;

/**
 * The one error that fields fail with. It tells nothing of the upstream but the group: no address,
 * header, body or key (spec section 7).
 */
export class MarketError extends GraphQLError {
  readonly code: FailureCode;

  constructor(code: FailureCode, about: { group?: Group; meter?: Meter; message?: string } = {}) {
    const { message, retryable } = FAILURES[code];
    const { group, meter } = about;
    super(about.message ?? message, {
      extensions: { code, ...(group && { group }), ...(meter && { meter }), retryable },
    });
    this.code = code;
  }
}

/** Nothing was sent: this says nothing about what the upstream would have answered. */
export class NotSent extends MarketError {}

/** We broke the exchange off ourselves, to stop: nobody knows whether it was charged. */
export class BrokenOff extends MarketError {}

/** An argument is wrong; `argument` is its path, e.g. `filter.start`. Nothing was sent upstream. */
export function badInput(argument: string, problem: string): MarketError {
  return new MarketError('BAD_USER_INPUT', { message: `${argument}: ${problem}` });
}
