import type { Logger } from 'pino';
import { join } from 'node:path';
import { createStore } from './cache/store.ts';
import { type Config, ConfigError } from './config.ts';
import { makeFolder } from './config/folder.ts';
import type { Gateway } from './graph/context.ts';
import { perMeter } from './meters.ts';
import type { KeyWatch } from './observe/key-watch.ts';
import { both, createFailureLog } from './observe/log.ts';
import type { Clock } from './time.ts';
import { type Shared, sharedUnder } from './shared/shared.ts';
import { sharedBySqlite } from './shared/sqlite.ts';
import { createClient } from './upstream/client.ts';
import { openLedger } from './usage/ledger.ts';
import type { Ledger } from './usage/units.ts';

/** Opens what stands behind the schema: the ledger, the upstream or the sandbox, the cache. */

/** What is open before the gateway is. */
interface Surroundings {
  ledger: Ledger;
  shared: Shared | undefined;
  now: Clock;
  monotonic: Clock;
  log: Logger;
  keyWatch: KeyWatch;
}

/** What all operations share, over an upstream that is open. */
export function openGateway(config: Config, upstream: Upstream, around: Surroundings): Gateway {
  const { ledger, shared, now, monotonic, log, keyWatch } = around;
  const client = createClient({
    upstreams: upstreamsOf(config, upstream),
    ledger,
    timeoutMs: config.upstreamTimeoutMs,
    maxUnitsPerRequest: config.maxUnitsPerRequest,
    timezone: config.timezone,
    now,
    monotonic,
    onRequestEnd: both(keyWatch.note, createFailureLog(log, monotonic)),
  });
  const store = createStore(config.cacheMaxBytes);
  const background = perMeter(() => 0);
  return { client, ledger, store, shared, now, monotonic, background, settings: config };
}

type Upstream = NonNullable<Config['upstream']>;

/** The configured upstream, or else the sandbox. That is loaded only then: production does without. */
export async function openUpstream({ upstream }: Config, now: Clock) {
  if (upstream) return { upstream, sandbox: false, closeUpstream: () => Promise.resolve() };
  const { startSandbox } = await import('./sandbox/sandbox.ts');
  const standIn = await startSandbox({ now });
  return { upstream: standIn, sandbox: true, closeUpstream: () => standIn.close() };
}

function upstreamsOf({ groupBRequestsPerSecond }: Config, { groupA: a, groupB: b }: Upstream) {
  return {
    A: { baseUrl: a.url, key: a.key, requestsPerSecond: undefined },
    B: { baseUrl: b.url, key: b.key, requestsPerSecond: groupBRequestsPerSecond },
  };
}

/** What processes share by DATA_DIR; undefined: nothing, as of the sandbox, whose data are no real ones. */
export function sharedFor(
  config: Config,
  { now, monotonic, log }: Pick<Surroundings, 'now' | 'monotonic' | 'log'>,
): Shared | undefined {
  const { upstream, timezone, dataDir, keptMaxBytes } = config;
  if (!upstream || keptMaxBytes === 0) return undefined;
  const shared = sharedBySqlite({
    path: join(dataDir, 'shared.sqlite'),
    maxBytes: keptMaxBytes,
    now,
    monotonic,
    onTrouble: {
      begins: (reason) => log.error({ reason }, 'nothing is shared with other processes, nor kept'),
      ends: () => log.info('answers are shared and kept again'),
      putAside: (as) =>
        log.error({ as }, 'the file of kept answers was damaged: a new one is begun'),
    },
  });
  // What one upstream has answered, or what was read in another time zone, is of no use with another.
  const { groupA, groupB } = upstream;
  return sharedUnder([groupA.url, groupB.url, timezone], shared);
}

/** The sandbox's units are no real ones: they are not kept. */
export function ledgerFor(
  config: Config,
  { now, monotonic, log }: Pick<Surroundings, 'now' | 'monotonic' | 'log'>,
): Ledger {
  const dataDir = config.upstream ? config.dataDir : undefined;
  try {
    if (dataDir !== undefined) makeFolder(dataDir);
    return openLedger({
      dataDir,
      limits: config.limits,
      timeoutsCount: config.timeoutsCount,
      timezone: config.timezone,
      now,
      monotonic,
      onSpentElsewhere: (meter, units) =>
        log.warn({ meter, units }, 'somebody else spends from the same allowance'),
      onFileTrouble: (reason) =>
        log.error({ reason }, 'the ledger cannot be used: meters with a limit spend nothing'),
      onFileRecovered: () => log.info('the ledger is written again'),
    });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot be used: ${String(error)}`);
  }
}
