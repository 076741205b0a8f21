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
import type { Ledger } from '../usage/units.ts';

/** What everything else of an app stands on: what it shares, files that are watched, the upstream, observers. */

export interface AppOptions {
  log?: Logger;
  /** Wall time. */
  now?: Clock;
  /** Decides about waiting, in milliseconds since any moment; by default it follows `now` if that is given. */
  monotonic?: Clock;
  /** Whether selections that only read objects are written as JSON at once (execution/compiler). */
  compile?: boolean;
  /** Called when an operation is over; by default it is logged at level info. */
  onOperationEnd?: ObserveOperation;
  /** Given where this is one of several processes that serve one port. */
  member?: Member;
  /** Whether the sandbox's answers are kept, in memory, as those of an upstream are in DATA_DIR. */
  keepsInMemory?: boolean;
  /** How the sandbox is, where no upstream is configured. */
  sandbox?: SandboxOptions;
  /** Whether the upstream that is configured is a sandbox: answers and pages say so. */
  isSandbox?: boolean;
}

export interface Base extends Clocked {
  config: Config;
  state: SharedState;
  ledger: Ledger;
  listed: Listed;
  gateway: Gateway;
  observers: Observers;
  /** Undefined: there is no admin listener that anybody could read them from. */
  metrics: Metrics | undefined;
  /** Whether all data are the sandbox's. */
  sandbox: boolean;
  /** Lets upstream requests under way finish for `graceMs`. To be called once, when nobody is served any more. */
  close(graceMs: number): Promise<void>;
}

interface Clocked {
  log: Logger;
  now: Clock;
  monotonic: Clock;
}

/** Throws ConfigError for what cannot be used. Starts the sandbox where no upstream is configured. */
export async function openBase(config: Config, options: AppOptions): Promise<Base> {
  const { log = pino({ level: config.logLevel }), member, onOperationEnd } = options;
  const now = inWholeMs(options.now ?? Date.now);
  const clocked = { log, now, monotonic: options.monotonic ?? options.now ?? sinceStart };
  const repeats = createBatch(now);
  const metrics = config.admin.port === 0 ? undefined : createMetrics(repeats.tell);
  const stored = await openStored(config, options, { ...clocked, metrics }).catch((error) => {
    repeats.close();
    throw error;
  });
  const { state, ledger } = stored;
  const { upstream, isSandbox, closeUpstream } = await openUpstream(config, {
    now,
    ...options.sandbox,
  });
  const { shared, permits = member?.permits } = state;
  const { history } = state.units;
  const told = { history, repeats, metrics, tracing: config.tracing, upstream, onOperationEnd };
  const observers = await createObservers({ ...clocked, ...told });
  const { request: onRequestEnd, beginTrace } = observers;
  const around = { ...clocked, ledger, shared, history, permits, onRequestEnd, beginTrace };
  const gateway = openGateway(config, upstream, { ...around, siblings: member?.siblings });
  await preload(gateway);
  const close = async (graceMs: number) => {
    stored.listed.close();
    const end = performance.now() + graceMs;
    await gateway.client.close(graceMs);
    await observers.close(Math.max(0, end - performance.now()));
    await closeUpstream();
    await stored.close();
  };
  const sandbox = isSandbox || (member?.isSandbox ?? options.isSandbox ?? false);
  return { config, ...clocked, ...stored, gateway, observers, metrics, sandbox, close };
}

/** What processes share, and what files list. */
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
  const about = { ...clocked, schema, shared, news, revocations, siblings: member?.siblings };
  const listed = await openListed(config, about).catch(async (error) => {
    await close();
    throw error;
  });
  return { state, ledger, listed, close };
}
