import type { Logger } from 'pino';
import type { Clock } from '../time.ts';
import type { SocketEvent } from '../transport/socket.ts';
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
