import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { SocketEvent } from '../transport/socket.ts';
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

/** One that was not sent says nothing new so soon after another with the same code. */
const QUIET_MS = 60_000;

/**
 * A line for each upstream request that was sent and failed. For those that were not sent, one for each
 * code in a minute, and the others at level debug. One in all where an answer states a cost that is not
 * believed.
 */
export function createFailureLog(log: Logger, monotonic: Clock): (end: RequestEnd) => void {
  const quietUntil = new Map<RequestEnd['result'], number>();
  let isCostTold = false;

  function tellCost({ dataset, implausibleUnits: stated }: RequestEnd): void {
    if (stated === undefined || isCostTold) return;
    isCostTold = true;
    log.warn(
      { dataset, stated },
      'an answer states more than MAX_UNITS_PER_REQUEST: it counts as one unit',
    );
  }

  function tellUnsent({ dataset, meter, result }: RequestEnd): void {
    // The cap of requests is told by the operation that has reached it, once.
    const isCap = result === 'UPSTREAM_BUDGET_EXCEEDED';
    const isNews = !isCap && monotonic() >= (quietUntil.get(result) ?? -Infinity);
    if (isNews) quietUntil.set(result, monotonic() + QUIET_MS);
    const about = { dataset, meter, code: result };
    log[isNews ? 'warn' : 'debug'](about, 'an upstream request was not sent');
  }

  return (end) => {
    const { dataset, result, cause, wasSent, durationMs } = end;
    tellCost(end);
    if (result === 'ok') return;
    if (!wasSent) return tellUnsent(end);
    const about = { dataset, code: result, cause, durationMs: Math.round(durationMs) };
    log.warn(about, 'an upstream request failed');
  };
}

const SOCKET_LINE_EVERY_MS = 1000;

/** A line for a WebSocket that was ended or has failed; one a second for each kind, with their number. */
export function createSocketLog(log: Logger, monotonic: Clock): (event: SocketEvent) => void {
  const last = new Map<SocketEvent['event'], { at: number; untold: number }>();
  return ({ event, error }) => {
    const { at, untold } = last.get(event) ?? { at: -Infinity, untold: 0 };
    const isDue = monotonic() - at >= SOCKET_LINE_EVERY_MS;
    last.set(event, isDue ? { at: monotonic(), untold: 0 } : { at, untold: untold + 1 });
    if (!isDue) return;
    const reason = error instanceof Error ? error.message : undefined;
    log.warn({ event, reason, untold }, 'a WebSocket was ended');
  };
}

/** Several observers as one. */
export function all<E>(observers: readonly ((end: E) => void)[]): (end: E) => void {
  return (end) => {
    for (const observe of observers) observe(end);
  };
}
