import type { Logger } from 'pino';
import type { ObserveOperation } from '../pipeline/request.ts';
import type { RequestEnd } from '../upstream/exchange.ts';

/** Lines about what has ended: observers, through which nothing passes and which nothing waits for. */

/** A line for each operation at level debug; undefined where nobody would see it. */
export function createOperationLog(log: Logger): ObserveOperation | undefined {
  if (!log.isLevelEnabled('debug')) return undefined;
  return ({ by, name, operation, errors, startedAt }) => {
    const ms = Math.round(performance.now() - startedAt);
    log.debug({ by, name, ms, used: operation?.used, errors: errors.length }, 'operation');
  };
}

/** A line for each upstream request that failed. */
export function createFailureLog(log: Logger): (end: RequestEnd) => void {
  return ({ dataset, result, cause, wasSent, durationMs }) => {
    if (result === 'ok') return;
    const about = { dataset, code: result, cause, wasSent, durationMs: Math.round(durationMs) };
    log.warn(about, 'an upstream request failed');
  };
}

/** Two observers as one. */
export function both<E>(first: (end: E) => void, second: (end: E) => void): (end: E) => void {
  return (end) => {
    first(end);
    second(end);
  };
}
