import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
  isBrokenCircuitError,
} from 'cockatiel';
import { BrokenOff, type Group, MarketError, NotSent } from './errors.ts';

/** Makes a dead upstream fail at once; after a pause the next request finds out whether it lives. */
export interface Breaker {
  /** Runs `task`, or rejects with UPSTREAM_UNAVAILABLE without running it. */
  run<T>(task: () => Promise<T>): Promise<T>;
  isClosed(): boolean;
}

const FAILURES_IN_A_ROW = 5;
/** One probe in ten seconds is no load, and an upstream that is back is noticed soon. */
const PAUSES = { initialDelay: 1000, maxDelay: 10_000 };

/** Only an upstream that does not answer opens it; a refusal is an answer. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof MarketError) || error instanceof BrokenOff) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}

export function createBreaker(group: Group): Breaker {
  const policy = circuitBreaker(handleWhen(isOutage), {
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
    halfOpenAfter: new ExponentialBackoff(PAUSES),
  });
  return {
    async run(task) {
      try {
        return await policy.execute(task);
      } catch (error) {
        throw isBrokenCircuitError(error) ? new NotSent('UPSTREAM_UNAVAILABLE', { group }) : error;
      }
    },
    isClosed: () => policy.state === CircuitState.Closed,
  };
}
