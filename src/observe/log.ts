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
    // Of one operation they are many, and nothing was sent: the operation itself tells it once.
    if (result === 'ok' || (result === 'UPSTREAM_BUDGET_EXCEEDED' && !wasSent)) return;
    const about = { dataset, code: result, cause, wasSent, durationMs: Math.round(durationMs) };
    log.warn(about, 'an upstream request failed');
  };
}
