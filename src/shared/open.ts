import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import { makeFolder } from '../config/folder.ts';
import { warnOfEviction } from './eviction.ts';
import { METERS } from '../meters.ts';
import type { Clock } from '../time.ts';
import { type News, newsByValkey } from './news.ts';
import { KEY_PREFIX, openServer, type Server } from './server.ts';
import { type Shared, sharedUnder } from './shared.ts';
import type { Turns } from './turns.ts';
import { sharedBySqlite } from './sqlite.ts';
import { isDamage, renameDamaged } from './sqlite-file.ts';
import { unitsInSqlite } from './sqlite-units.ts';
import type { UnitStore } from './units.ts';
import { type ObserveStoreCall, watchedShared, watchedUnits } from './watched.ts';
import { sharedByValkey } from './valkey.ts';
import { turnsInValkey } from './valkey-turns.ts';
import { unitsInValkey } from './valkey-units.ts';

/** Opens what processes share: on the server of SHARED_URL, or else in the files of DATA_DIR. */
export interface SharedState {
  /** Answers, flights and notes; undefined: nothing is shared. */
  shared: Shared | undefined;
  units: UnitStore;
  /** Undefined: nobody is told anything. */
  news: News | undefined;
  /** Of group B, which has a limit per second; undefined: each process has its own pace. */
  turns?: Turns;
  /** How that what keeps it is. */
  store: StoreState;
  /** Resolves once all has been stored; `units` are closed by the ledger. */
  close(): Promise<void>;
}

export interface StoreState {
  kind: 'memory' | 'sqlite' | 'server';
  isUp(): boolean;
}

interface Given {
  now: Clock;
  monotonic: Clock;
  log: Logger;
  /** Told of the calls for which answers wait; undefined: nobody wants to know. */
  observe?: ObserveStoreCall | undefined;
}

interface Around extends Given {
  /** Which parts cannot be used now. */
  down: Set<'units' | 'answers'>;
}

/** How long the start waits for a server. */
const START_MS = 1000;

/** Throws ConfigError. */
export async function openSharedState(config: Config, given: Given): Promise<SharedState> {
  const { observe } = given;
  const state = await open(config, { ...given, down: new Set() });
  if (!observe) return state;
  const { shared, units } = state;
  const watched = { units: watchedUnits(units, observe) };
  return { ...state, ...watched, shared: shared && watchedShared(shared, observe) };
}

async function open(config: Config, around: Around): Promise<SharedState> {
  const { upstream, sharedUrls, keptMaxBytes } = config;
  // The sandbox's data and units are no real ones: they are neither shared nor kept.
  if (!upstream && sharedUrls.length > 0)
    around.log.warn('SHARED_URL: not used, since the sandbox is served');
  const inMemory = { kind: 'memory', isUp: () => true } as const;
  if (!upstream) return { ...ALONE, units: openUnits(':memory:', around), store: inMemory };
  if (sharedUrls.length > 0) return openOnServer(config, upstream, around);
  const units = openLedgerFile(config, around);
  const store = { kind: 'sqlite', isUp: () => around.down.size === 0 } as const;
  if (keptMaxBytes === 0) return { ...ALONE, units, store };
  const file = openFile(fileIn(config, 'shared.sqlite'), keptMaxBytes, around);
  const shared = sharedUnder(namesOf(config, upstream), file);
  return { shared, units, news: undefined, store, close: file.close };
}

const ALONE = { shared: undefined, news: undefined, close: () => Promise.resolve() };

type Upstream = NonNullable<Config['upstream']>;

/** What one upstream has answered, or what was read in another time zone, is of no use with another. */
const namesOf = ({ timezone }: Config, { groupA, groupB }: Upstream) => [
  groupA.url,
  groupB.url,
  timezone,
];

function fileIn({ dataDir }: Config, name: string): string {
  try {
    makeFolder(dataDir);
    return join(dataDir, name);
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot be used: ${String(error)}`);
  }
}

function openUnits(path: string, { now, log, down }: Around): UnitStore {
  const onTrouble = {
    begins(reason: string) {
      down.add('units');
      log.error({ reason }, 'the ledger cannot be used: meters with a limit spend nothing');
    },
    ends() {
      down.delete('units');
      log.info('the ledger is written again');
    },
  };
  try {
    return unitsInSqlite({ path, now, onTrouble });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot be used: ${String(error)}`, { cause: error });
  }
}

/** Where nothing is limited a damaged file is put aside: a new count is better than none. */
function openLedgerFile(config: Config, around: Around): UnitStore {
  const path = fileIn(config, 'ledger.sqlite');
  try {
    return openUnits(path, around);
  } catch (error) {
    const isLimited = METERS.some((meter) => config.limits[meter] !== undefined);
    const { cause } = error instanceof Error ? error : {};
    if (!isDamage(cause)) throw error;
    if (isLimited || config.clientsFile !== undefined)
      throw new ConfigError(
        `DATA_DIR: ${path} is damaged. Without it the month's units count from zero again, limits and budgets, too: move it away to accept that`,
      );
    const as = renameDamaged(path);
    around.log.error({ as }, 'the ledger was damaged: units count from zero again');
    return openUnits(path, around);
  }
}

function openFile(path: string, maxBytes: number, around: Around): Shared {
  const { now, monotonic, log, down } = around;
  const onTrouble = {
    begins(reason: string) {
      down.add('answers');
      log.error({ reason }, 'nothing is shared with other processes, nor kept');
    },
    ends() {
      down.delete('answers');
      log.info('answers are shared and kept again');
    },
    putAside: (as: string) =>
      log.error({ as }, 'the file of kept answers was damaged: a new one is begun'),
  };
  return sharedBySqlite({ path, maxBytes, now, monotonic, onTrouble });
}

async function openOnServer(
  config: Config,
  upstream: Upstream,
  { log, monotonic }: Around,
): Promise<SharedState> {
  const { sharedUrls, keptMaxBytes: maxBytes, groupBRequestsPerSecond: perSecond } = config;
  const server = openServer({
    url: sharedUrls.join(','),
    onTrouble: {
      begins: (reason) =>
        log.error({ reason }, 'the shared server is away: each replica goes on by itself'),
      ends: () => log.info('the shared server is back'),
    },
  });
  warnOfEviction(server, log);
  await server.ready(START_MS);
  const base = `${KEY_PREFIX}:${hashOf([upstream.groupA.url, upstream.groupB.url])}:`;
  const shared = maxBytes === 0 ? undefined : sharedByValkey({ server, base, maxBytes });
  const turns = turnsInValkey({ server, base, perSecond, monotonic });
  return {
    shared: shared && sharedUnder(namesOf(config, upstream), shared),
    units: unitsInValkey({ server, base }),
    news: newsByValkey({ server, base }),
    turns,
    store: { kind: 'server', isUp: () => !server.isAway() },
    close: () => closeAll(shared, turns, server),
  };
}

async function closeAll(shared: Shared | undefined, turns: Turns, server: Server): Promise<void> {
  await shared?.close();
  turns.close();
  server.close();
}

const hashOf = (names: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(names)).digest('base64url').slice(0, 12);
