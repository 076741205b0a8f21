import pino, { type Logger } from 'pino';
import type { Member } from '../admin/member.ts';
import type { Config } from '../config.ts';
import type { Gateway } from '../graph/context.ts';
import { preload } from '../graph/preload.ts';
import { ledgerFor, openGateway, openUpstream, type SandboxOptions } from '../gateway.ts';
import { type Listed, openListed } from '../listed.ts';
import { sinceStart } from '../monotonic.ts';
import { createBatch } from '../observe/batch.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { createObservers, type Observers } from '../observe/observers.ts';
import type { ObserveOperation } from '../pipeline/request.ts';
import { schema } from '../schema.ts';
import { openSharedState } from '../shared/open.ts';
import type { SharedState } from '../shared/state.ts';
import { type Clock, inWholeMs } from '../time.ts';

/** The base of an app, on which everything else is built: shared state, watched files, the upstream, observers. */

export interface AppOptions {
  log?: Logger;
  /** Wall time. */
  now?: Clock;
  /** Clock for durations, in milliseconds since an arbitrary moment; defaults to `now` if that is given. */
  monotonic?: Clock;
  /** Whether selections that only read objects are compiled to write JSON text directly (execution/compiler). */
  compile?: boolean;
  /** Called when an operation has ended; by default it is logged at level info. */
  onOperationEnd?: ObserveOperation;
  /** Set if this is one of several processes that serve one port. */
  member?: Member;
  /** Whether the sandbox's answers are stored, in memory, as an upstream's are in DATA_DIR. */
  keepsInMemory?: boolean;
  /** Options of the sandbox, if no upstream is configured. */
  sandbox?: SandboxOptions;
  /** Whether the configured upstream is a sandbox: answers and pages then say so. */
  isSandbox?: boolean;
}

export interface Base extends Clocked {
  config: Config;
  state: SharedState;
  listed: Listed;
  gateway: Gateway;
  observers: Observers;
  /** Undefined: there is no admin listener that would serve them. */
  metrics: Metrics | undefined;
  /** Whether all data come from the sandbox. */
  sandbox: boolean;
  /** Gives upstream requests in flight `graceMs` to finish. Call it once, when nobody is served any more. */
  close(graceMs: number): Promise<void>;
}

interface Clocked {
  log: Logger;
  now: Clock;
  monotonic: Clock;
}

/** Rejects with ConfigError if something configured cannot be used. Starts the sandbox if no upstream is configured. */
export async function openBase(config: Config, options: AppOptions): Promise<Base> {
  const { log = pino({ level: config.logLevel }), member, onOperationEnd } = options;
  const now = inWholeMs(options.now ?? Date.now);
  const clocked = { log, now, monotonic: options.monotonic ?? options.now ?? sinceStart };
  const batch = createBatch(now);
  const metrics = config.admin.port === 0 ? undefined : createMetrics(batch.notify);
  const stored = await openStored(config, options, { ...clocked, metrics }).catch((error) => {
    batch.close();
    throw error;
  });
  const { state, ledger } = stored;
  const { upstream, isSandbox, closeUpstream } = await openUpstream(config, {
    now,
    ...options.sandbox,
  });
  const { shared, permits = member?.permits } = state;
  const { history } = state.units;
  const observerOptions = {
    history,
    batch,
    metrics,
    tracing: config.tracing,
    upstream,
    onOperationEnd,
  };
  const observers = await createObservers({ ...clocked, ...observerOptions });
  const { request: onRequestEnd, beginTrace } = observers;
  const dependencies = { ...clocked, ledger, shared, history, permits, onRequestEnd, beginTrace };
  const gateway = openGateway(config, upstream, { ...dependencies, siblings: member?.siblings });
  await preload(gateway);
  const close = async (graceMs: number) => {
    stored.listed.close();
    const deadline = performance.now() + graceMs;
    await gateway.client.close(graceMs);
    await observers.close(Math.max(0, deadline - performance.now()));
    await closeUpstream();
    await stored.close();
  };
  const sandbox = isSandbox || (options.isSandbox ?? false);
  return { config, ...clocked, ...stored, gateway, observers, metrics, sandbox, close };
}

/** Opens what processes share, and what files list. */
async function openStored(
  config: Config,
  { keepsInMemory, member }: AppOptions,
  { metrics, ...clocked }: Clocked & Pick<Base, 'metrics'>,
) {
  const observe = metrics?.observeStoreCall;
  const state = await openSharedState(config, { ...clocked, observe, keepsInMemory });
  const ledger = ledgerFor(config, clocked, state.units);
  const close = () => ledger.close().then(state.close);
  const { shared, news = member?.news, revocations } = state;
  const dependencies = {
    ...clocked,
    schema,
    shared,
    news,
    revocations,
    siblings: member?.siblings,
  };
  const listed = await openListed(config, dependencies).catch(async (error) => {
    await close();
    throw error;
  });
  return { state, ledger, listed, close };
}
