import type { Logger } from 'pino';
import type { ObserveOperation } from '../pipeline/request.ts';
import type { History } from '../shared/history.ts';
import type { Clock } from '../time.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { createKeyWatch, type KeyWatch } from './key-watch.ts';
import { all, createFailureLog, createOperationLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createTallies, type Tallies } from './tallies.ts';

/** All who are told when something is over. */
export interface Observers {
  /** Undefined: nobody wants to know. */
  operation: ObserveOperation | undefined;
  request(end: RequestEnd): void;
  keyWatch: KeyWatch;
  /** Undefined: there is no admin listener that anybody could read them from. */
  metrics: Metrics | undefined;
  /** The same for the console. */
  tallies: Tallies | undefined;
}

interface ObserversOptions {
  log: Logger;
  now: Clock;
  monotonic: Clock;
  /** Where the console's figures are kept. */
  history: Pick<History, 'add' | 'flush'>;
  /** Whether there is an admin listener. */
  isAdministered: boolean;
  /** Instead of a line in the log. */
  onOperationEnd: ObserveOperation | undefined;
}

export function createObservers(options: ObserversOptions): Observers {
  const { log, now, monotonic, history, isAdministered } = options;
  const metrics = isAdministered ? createMetrics() : undefined;
  const tallies = isAdministered ? createTallies(history, now) : undefined;
  const keyWatch = createKeyWatch(monotonic);
  const watching = [metrics, tallies].filter((one) => one !== undefined);
  const logged = options.onOperationEnd ?? createOperationLog(log);
  const operation = [...(logged ? [logged] : []), ...watching.map((one) => one.observeOperation)];
  const request = [keyWatch.note, createFailureLog(log, monotonic)];
  return {
    operation: operation.length > 0 ? all(operation) : undefined,
    request: all([...request, ...watching.map((one) => one.observeRequest)]),
    keyWatch,
    metrics,
    tallies,
  };
}
