import type { Logger } from 'pino';
import { createStore } from './cache/store.ts';
import type { Config, Upstream } from './config.ts';
import type { Gateway } from './graph/context.ts';
import { type Group, perMeter } from './meters.ts';
import type { Clock } from './time.ts';
import type { News } from './shared/news.ts';
import type { History } from './shared/history.ts';
import type { SandboxOptions } from './sandbox/sandbox.ts';
import type { Shared } from './shared/shared.ts';
import { createGovernor } from './spending/governor.ts';
import type { Permits } from './shared/permits.ts';
import type { UnitStore } from './shared/units.ts';
import type { BeginTrace } from './trace.ts';
import { createUpstreamClient } from './upstream/client.ts';
import { createLineSpeeds } from './upstream/line-notes.ts';
import type { RequestEnd } from './upstream/request-end.ts';
import { createLedger } from './usage/ledger.ts';
import type { Ledger } from './usage/units.ts';

/** Opens what the schema's resolvers rely on: the ledger, the upstream or the sandbox, the cache. */

export type { SandboxOptions } from './sandbox/sandbox.ts';

interface Clocks {
  now: Clock;
  monotonic: Clock;
}

/** What must be open before the gateway is opened. */
interface GatewayDependencies extends Clocks {
  ledger: Ledger;
  shared: Shared | undefined;
  history: History;
  permits: Permits | undefined;
  /** The other processes that serve the same port. */
  siblings: News | undefined;
  onRequestEnd(end: RequestEnd): void;
  beginTrace: BeginTrace | undefined;
}

/** Opens what all operations share. `upstream` is open already. */
export function openGateway(
  config: Config,
  upstream: Upstream,
  dependencies: GatewayDependencies,
): Gateway {
  const { ledger, shared, history, now, monotonic, onRequestEnd, beginTrace } = dependencies;
  const client = createUpstreamClient({
    upstreams: upstreamsOf(config, upstream, dependencies),
    ledger,
    timeoutMs: config.upstreamTimeoutMs,
    maxUnitsPerRequest: config.maxUnitsPerRequest,
    timezone: config.timezone,
    bytesPerSecond: config.upstreamBytesPerSecond,
    now,
    monotonic,
    onRequestEnd,
  });
  const store = createStore(config.cacheMaxBytes);
  const background = perMeter(() => 0);
  const { spending, timezone } = config;
  const { allowance } = ledger;
  const governing = { allowance, history, spending, timezone, now, monotonic };
  const governors = perMeter((meter) => createGovernor({ meter, ...governing }));
  const common = { client, ledger, governors, store, shared, now, monotonic };
  return { ...common, background, beginTrace, settings: config };
}

/** Opens the configured upstream, or the sandbox if none is configured. */
export async function openUpstream({ upstream }: Config, sandbox: SandboxOptions) {
  if (upstream) return { upstream, isSandbox: false, closeUpstream: () => Promise.resolve() };
  const { startSandbox } = await import('./sandbox/sandbox.ts');
  const standIn = await startSandbox(sandbox);
  return { upstream: standIn, isSandbox: true, closeUpstream: () => standIn.close() };
}

function upstreamsOf(
  { groupBRequestsPerSecond: perSecond }: Config,
  { groupA: a, groupB: b }: Upstream,
  { permits, shared, siblings, monotonic }: GatewayDependencies,
) {
  const paces = {
    A: { requestsPerSecond: undefined },
    B: { requestsPerSecond: perSecond, permits },
  };
  const upstreamOf = (group: Group, { url: baseUrl, key }: Upstream['groupA']) => {
    const lineSpeeds = createLineSpeeds(group, { shared, monotonic });
    return { baseUrl, key, ...paces[group], lineSpeeds, siblings };
  };
  return { A: upstreamOf('A', a), B: upstreamOf('B', b) };
}

/** Opens the ledger over `store`. Limits hold for all processes that share the store. */
export function ledgerFor(
  { limits, timeoutsCount, timezone }: Config,
  { now, monotonic, log }: Clocks & { log: Logger },
  store: UnitStore,
): Ledger {
  return createLedger({
    store,
    limits,
    timeoutsCount,
    timezone,
    now,
    monotonic,
    onSpentElsewhere: (meter, units) =>
      log.warn({ meter, units }, 'another consumer is spending from the same allowance'),
    onUnstored: (account, units) =>
      log.error({ ...account, units }, 'spent units could not be recorded before shutdown'),
  });
}
