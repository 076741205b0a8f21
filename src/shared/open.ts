import { createHash } from 'node:crypto';
import type { Config } from '../config.ts';
import { warnOfServer } from './valkey/warnings.ts';
import { type Around, openFiles, openMemory } from './files.ts';
import type { News } from './news.ts';
import type { Revocations } from './revocations.ts';
import { newsByValkey } from './valkey/news.ts';
import { revocationsOnServer } from './valkey/revocations.ts';
import { KEY_PREFIX, openServer } from './valkey/server.ts';
import { type Shared, sharedUnder } from './shared.ts';
import type { Permits } from './permits.ts';
import type { UnitStore } from './units.ts';
import { type ObserveStoreCall, watchedShared, watchedUnits } from './watched.ts';
import { sharedByValkey } from './valkey/answers.ts';
import { permitsInValkey } from './valkey/permits.ts';
import { unitsInValkey } from './valkey/units.ts';

/** Opens what processes share: on the server of SHARED_URL, or else in the files of DATA_DIR. */
export interface SharedState {
  /** Answers, flights and notes; undefined: nothing is shared. */
  shared: Shared | undefined;
  units: UnitStore;
  /** Undefined: nobody is told anything. */
  news: News | undefined;
  /** Undefined: processes that share files share that of the clients, too. */
  revocations?: Revocations;
  /** Of group B, which has a limit per second; undefined: each process has its own pace. */
  permits?: Permits;
  /** Where it is kept, and whether that can be reached. */
  store: StoreState;
  /** Resolves once all has been stored; `units` are closed by the ledger. */
  close(): Promise<void>;
}

export interface StoreState {
  kind: 'memory' | 'sqlite' | 'server';
  isUp(): boolean;
}

interface Given extends Around {
  /** Told of the calls that responses wait for; undefined: nobody wants to know. */
  observe?: ObserveStoreCall | undefined;
  /** Whether the sandbox's answers are kept, too. */
  keepsInMemory?: boolean | undefined;
}

/** How long the start waits for a server. */
const START_MS = 1000;

/** Throws ConfigError. */
export async function openSharedState(config: Config, given: Given): Promise<SharedState> {
  const { observe } = given;
  const state = await open(config, given);
  if (!observe) return state;
  const { shared, units } = state;
  return {
    ...state,
    units: watchedUnits(units, observe),
    shared: shared && watchedShared(shared, observe),
  };
}

async function open(config: Config, given: Given): Promise<SharedState> {
  const { upstream, sharedUrls, keptMaxBytes } = config;
  if (!upstream) {
    if (sharedUrls.length > 0) given.log.warn('SHARED_URL: not used, since the sandbox is served');
    // The sandbox's data and units are no real ones: they are neither shared nor outlive the process.
    return local('memory', openMemory(given.keepsInMemory ? keptMaxBytes : 0, given));
  }
  if (sharedUrls.length > 0) return openOnServer(config, upstream, given);
  const files = openFiles(config, given);
  const { shared } = files;
  const ours = shared && sharedUnder(namesOf(config, upstream), shared);
  return { ...local('sqlite', files), shared: ours };
}

type Files = ReturnType<typeof openFiles>;

function local(kind: StoreState['kind'], { units, shared, isUp }: Files): SharedState {
  const close = () => shared?.close() ?? Promise.resolve();
  return { units, shared, news: undefined, store: { kind, isUp }, close };
}

type Upstream = NonNullable<Config['upstream']>;

/** What one upstream has answered, or what was read in another time zone, is of no use with another. */
const namesOf = ({ timezone }: Config, { groupA, groupB }: Upstream) => [
  groupA.url,
  groupB.url,
  timezone,
];

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
    onRefusal: {
      begins: (reason) =>
        log.error({ reason }, 'the shared server refuses some of what is asked of it'),
      ends: () => log.info('the shared server refuses nothing any more'),
    },
  });
  warnOfServer(server, log);
  await server.ready(START_MS);
  const names = [upstream.groupA.url, upstream.groupB.url, ...databaseIn(sharedUrls)];
  const base = `${KEY_PREFIX}:${hashOf(names)}:`;
  const shared = maxBytes === 0 ? undefined : sharedByValkey({ server, base, maxBytes });
  const permits = permitsInValkey({ server, base, perSecond, monotonic });
  const revocations = revocationsOnServer({ server, base });
  return {
    shared: shared && sharedUnder(namesOf(config, upstream), shared),
    units: unitsInValkey({ server, base }),
    news: newsByValkey({ server, base }),
    revocations,
    permits,
    store: { kind: 'server', isUp: server.isUp },
    async close() {
      await shared?.close();
      for (const one of [revocations, permits, server]) one.close();
    },
  };
}

/** Which is not the first: what is published in one is heard in all of them. */
function databaseIn([url = '']: readonly string[]): string[] {
  const database = new URL(url).pathname.slice(1);
  return Number(database) > 0 ? [database] : [];
}

const hashOf = (names: readonly string[]) =>
  createHash('sha256').update(JSON.stringify(names)).digest('base64url').slice(0, 12);
