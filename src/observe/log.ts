import type { Logger } from 'pino';
import { METERS } from '../meters.ts';
import type { ObserveOperation, OperationEnd } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';
import type { SocketEvent } from '../transport/socket.ts';
import { codeOf, shortOf } from './spans.ts';

/** Lines about what has ended: observers, through which nothing passes and which nothing waits for. */

/** A line for each operation at level info; undefined where nobody would see it. What is nothing is left out. */
export function createOperationLog(log: Logger): ObserveOperation | undefined {
  if (!log.isLevelEnabled('info')) return undefined;
  return (end) => log.info(lineOf(end), 'operation');
}

function lineOf(end: OperationEnd) {
  const { by, type, name, client, operation, hits, errors, trace, startedAt } = end;
  return {
    by,
    type,
    name: name && shortOf(name),
    client,
    // A hundredth of a millisecond: an answer that is kept takes about one.
    ms: Math.round((performance.now() - startedAt) * 100) / 100,
    units: operation && unitsOf(operation.used),
    hits: hits || undefined,
    joined: operation?.coalesced || undefined,
    stale: operation?.stale || undefined,
    errors: errors.length > 0 ? [...new Set(errors.map(codeOf))] : undefined,
    trace_id: trace?.traceId,
  };
}

/** By meter, without those of which nothing was spent. */
function unitsOf(used: Readonly<Record<(typeof METERS)[number], number>>) {
  const spent = METERS.filter((meter) => used[meter] > 0);
  return spent.length > 0
    ? Object.fromEntries(spent.map((meter) => [meter, used[meter]]))
    : undefined;
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
