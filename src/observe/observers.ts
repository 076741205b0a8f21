import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { ClientRefusal } from '../clients/observed.ts';
import type { Group } from '../meters.ts';
import type { ObserveOperation, OperationObserver } from '../pipeline/request.ts';
import type { History } from '../shared/history.ts';
import type { Clock } from '../time.ts';
import type { SocketEvent } from '../transport/socket.ts';
import type { BeginTrace } from '../trace.ts';
import type { RequestEnd } from '../upstream/request-end.ts';
import { type Batch, inBatches } from './batch.ts';
import { createFailureLog } from './failure-log.ts';
import { createKeyWatch, type KeyWatch } from './key-watch.ts';
import {
  createClientLog,
  createOperationLog,
  createOverloadLog,
  createSocketLog,
  eachTime,
} from './log.ts';
import type { Metrics } from './metrics.ts';
import { createNotFoundLog } from './not-found-log.ts';
import { createAddRequest, endSpan } from './spans.ts';
import { createTallies, type Tallies } from './tallies.ts';
import type { Tracing } from './tracing.ts';

/** All observers, which are notified when something has ended. */
export interface Observers {
  operation: OperationObserver;
  request(end: RequestEnd): void;
  socket(event: SocketEvent): void;
  client(refusal: ClientRefusal): void;
  keyWatch: KeyWatch;
  /** The figures that the console shows; undefined if there is no console. */
  tallies: Tallies | undefined;
  /** Undefined if there are no traces. */
  beginTrace: BeginTrace | undefined;
  /** Reports what is pending, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface ObserversOptions {
  log: Logger;
  now: Clock;
  monotonic: Clock;
  /** Where the console's figures are kept. */
  history: Pick<History, 'add' | 'flush'>;
  batch: Batch;
  /** Undefined if there is no admin listener from which they could be read. */
  metrics: Metrics | undefined;
  tracing: Config['tracing'];
  /** Where each group is reached. */
  upstream: Readonly<Record<`group${Group}`, { url: string }>>;
  /** Called instead of writing a line to the log. */
  onOperationEnd: ObserveOperation | undefined;
}

/** How often to check whether counted failures are due to be logged. */
const CHECK_EVERY_MS = 10_000;

export async function createObservers(options: ObserversOptions): Promise<Observers> {
  const { log, monotonic, metrics, batch, upstream } = options;
  const tallies = metrics && createTallies(options.history, options.now, batch.notify);
  const keyWatch = createKeyWatch(monotonic);
  const failures = createFailureLog(log, monotonic);
  const noteNotFound = createNotFoundLog(log);
  const overload = createOverloadLog(log, monotonic);
  const sockets = createSocketLog(log, monotonic);
  const clients = createClientLog(log, monotonic);
  const reportCounted = (which: 'due' | 'all') => {
    for (const one of [failures, overload, sockets, clients]) one.reportCounted(which);
  };
  const timer = setInterval(reportCounted, CHECK_EVERY_MS, 'due').unref();
  const tracing = await openTracing(options.tracing, log);
  const servers = { A: serverOf(upstream.groupA), B: serverOf(upstream.groupB) };
  const { onOperationEnd } = options;
  const observers = [
    onOperationEnd ? eachTime(onOperationEnd) : createOperationLog(log),
    overload,
    metrics?.operations,
    tallies?.operations,
    // Last: it ends the trace.
    tracing && { ended: endSpan },
  ];
  const addRequest = tracing && createAddRequest(servers);
  return {
    operation: inBatches(observers, batch),
    request(end) {
      keyWatch.note(end);
      failures.note(end);
      noteNotFound(end);
      metrics?.observeRequest(end);
      tallies?.observeRequest(end);
      addRequest?.(end);
    },
    socket: sockets.note,
    client: clients.note,
    keyWatch,
    tallies,
    beginTrace: tracing?.begin,
    async close(graceMs) {
      clearInterval(timer);
      batch.close();
      reportCounted('all');
      tallies?.close();
      await tracing?.close(graceMs);
    },
  };
}

/** Loads OpenTelemetry only if it is used, since that takes a while. */
async function openTracing(config: Config['tracing'], log: Logger): Promise<Tracing | undefined> {
  const { endpoint, isDisabled, sampler } = config;
  if (endpoint === undefined || isDisabled || sampler === 'always_off') return undefined;
  const { createTracing } = await import('./tracing.ts');
  const onTrouble = {
    begins: (reason: string) => log.warn({ reason }, 'traces cannot be delivered'),
    ends: () => log.info('traces are delivered again'),
  };
  return createTracing({ ...config, endpoint, onTrouble });
}

function serverOf({ url }: { url: string }) {
  const { hostname: host, port, protocol } = new URL(url);
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}
