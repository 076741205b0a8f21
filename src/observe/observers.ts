import type { Logger } from 'pino';
import type { ObserveOperation } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createKeyWatch, type KeyWatch } from './key-watch.ts';
import { both, createFailureLog, createOperationLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';

/** All who are told when something is over. */
export interface Observers {
  /** Undefined: nobody wants to know. */
  operation: ObserveOperation | undefined;
  request(end: RequestEnd): void;
  keyWatch: KeyWatch;
  /** Undefined: there is no admin listener that anybody could read them from. */
  metrics: Metrics | undefined;
}

interface ObserversOptions {
  log: Logger;
  monotonic: Clock;
  hasMetrics: boolean;
  /** Instead of a line in the log. */
  onOperationEnd: ObserveOperation | undefined;
}

export function createObservers(options: ObserversOptions): Observers {
  const { log, monotonic, hasMetrics } = options;
  const metrics = hasMetrics ? createMetrics() : undefined;
  const keyWatch = createKeyWatch(monotonic);
  const logged = options.onOperationEnd ?? createOperationLog(log);
  const told = both(keyWatch.note, createFailureLog(log, monotonic));
  if (!metrics) return { operation: logged, request: told, keyWatch, metrics };
  const { observeOperation, observeRequest } = metrics;
  return {
    operation: logged ? both(logged, observeOperation) : observeOperation,
    request: both(told, observeRequest),
    keyWatch,
    metrics,
  };
}
