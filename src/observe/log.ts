import type { Logger } from 'pino';
import type { ObserveOperation } from '../pipeline/request.ts';
import type { RequestEnd } from '../upstream/request-end.ts';

/** Lines about what has ended: observers, through which nothing passes and which nothing waits for. */

/** A line for each operation at level debug; undefined where nobody would see it. */
export function createOperationLog(log: Logger): ObserveOperation | undefined {
  if (!log.isLevelEnabled('debug')) return undefined;
  return ({ by, name, operation, errors, startedAt }) => {
    const ms = Math.round(performance.now() - startedAt);
    log.debug({ by, name, ms, used: operation?.used, errors: errors.length }, 'operation');
  };
}

/**
 * A line for each upstream request that failed, and one, for all that follow too, when an answer states
 * a cost that is not believed.
 */
export function createFailureLog(log: Logger): (end: RequestEnd) => void {
  let isCostTold = false;
  return ({ dataset, result, cause, wasSent, durationMs, implausibleUnits: stated }) => {
    if (stated !== undefined && !isCostTold) {
      isCostTold = true;
      const told = 'an answer states more than MAX_UNITS_PER_REQUEST: it counts as one unit';
      log.warn({ dataset, stated }, told);
    }
    if (result === 'ok') return;
    const about = { dataset, code: result, cause, wasSent, durationMs: Math.round(durationMs) };
    log.warn(about, 'an upstream request failed');
  };
}
