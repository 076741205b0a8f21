import type { RequestListener } from 'node:http';
import pino, { type Logger } from 'pino';
import { createPauses } from './cache/pauses.ts';
import { createStore } from './cache/store.ts';
import { type Config, ConfigError } from './config.ts';
import type { Gateway } from './graph/context.ts';
import { schema } from './schema.ts';
import { createHandler } from './server/http.ts';
import { openPersisted } from './server/persisted/persisted.ts';
import { createServer } from './server/server.ts';
import type { Clock } from './time.ts';
import { createClient } from './upstream/client.ts';
import { groupA } from './upstream/group-a.ts';
import { groupB } from './upstream/group-b.ts';
import { type Ledger, openLedger } from './usage/ledger.ts';

/** The only place that wires parts together. */

export interface App {
  /** Answers requests of a node:http server. */
  handler: RequestListener;
  /** The same for Fetch API requests. */
  fetch(request: Request): Promise<Response>;
  sandbox: boolean;
  /** From now on /ready says no. */
  stop(): void;
  close(): Promise<void>;
}

export interface AppOptions {
  log?: Logger;
  now?: Clock;
}

export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = pino({ level: config.logLevel }), now = Date.now } = options;
  const persisted = await openPersisted({ config, schema, now, log });
  const ledger = ledgerFor(config, now, log);
  const sandbox = config.upstream ? undefined : await startSandbox(now);
  const client = createClient({
    upstreams: upstreamsOf(config, config.upstream ?? sandbox!),
    ledger,
    timeoutMs: config.upstreamTimeoutMs,
    timezone: config.timezone,
    now,
    log,
  });
  const store = createStore(config.cacheMaxBytes);
  const gateway: Gateway = {
    client,
    ledger,
    store,
    pauses: createPauses(now),
    now,
    settings: config,
  };
  const server = createServer({
    gateway,
    config,
    persisted,
    sandbox: sandbox !== undefined,
    log,
  });
  let isReady = true;
  return {
    handler: createHandler({
      graphql: (req, res) => void server(req, res),
      isReady: () => isReady,
    }),
    fetch: async (request) => server.fetch(request),
    sandbox: sandbox !== undefined,
    stop() {
      isReady = false;
    },
    async close() {
      persisted.close();
      await server.dispose();
      await client.close();
      await sandbox?.close();
      ledger.close();
    },
  };
}

type Upstream = NonNullable<Config['upstream']>;

/** Loaded only when it is needed: production does without. */
async function startSandbox(now: Clock) {
  const sandbox = await import('./sandbox/sandbox.ts');
  return sandbox.startSandbox({ now });
}

function upstreamsOf({ groupBRequestsPerSecond }: Config, { groupA: a, groupB: b }: Upstream) {
  return {
    A: { dialect: groupA, baseUrl: a.url, key: a.key, requestsPerSecond: undefined },
    B: { dialect: groupB, baseUrl: b.url, key: b.key, requestsPerSecond: groupBRequestsPerSecond },
  };
}

/** The sandbox's units are no real ones: they are not kept. */
function ledgerFor(config: Config, now: Clock, log: Logger): Ledger {
  try {
    return openLedger({
      dataDir: config.upstream ? config.dataDir : undefined,
      limits: config.limits,
      timezone: config.timezone,
      now,
      onDrift: (meter, units) =>
        log.warn({ meter, units }, 'somebody else spends from the same allowance'),
    });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot be used: ${String(error)}`);
  }
}
