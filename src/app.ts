import type { RequestListener } from 'node:http';
import pino, { type Logger } from 'pino';
import { createStore } from './cache/store.ts';
import { type Config, ConfigError } from './config.ts';
import type { Gateway } from './graph/context.ts';
import { endStreams } from './graph/live.ts';
import { schema } from './schema.ts';
import { createAnswers } from './server/answers.ts';
import { createAllowOrigin } from './server/cors.ts';
import { createMediaTypes, createServeDirect } from './server/direct.ts';
import { createServeHot } from './server/hot.ts';
import { createHandler } from './server/http.ts';
import { openPersisted } from './server/persisted/persisted.ts';
import { createPrepare } from './server/prepare.ts';
import { createServer } from './server/server.ts';
import { createWebSockets, type WebSockets } from './server/websocket.ts';
import type { Clock } from './time.ts';
import { createClient } from './upstream/client.ts';
import { groupA } from './upstream/group-a.ts';
import { groupB } from './upstream/group-b.ts';
import { type Ledger, openLedger } from './usage/ledger.ts';
import { extensionsOf } from './usage/report.ts';

/** The only place that wires parts together. */

export interface App {
  /** Answers requests of a node:http server. */
  handler: RequestListener;
  /** Takes over connections that become WebSockets. */
  upgrade: WebSockets['upgrade'];
  /** The same for Fetch API requests. */
  fetch(request: Request): Promise<Response>;
  sandbox: boolean;
  /** From now on /ready says no, and subscriptions end. */
  stop(): void;
  /** Lets upstream requests under way finish for `graceMs`, so that none is paid and not counted. */
  close(graceMs?: number): Promise<void>;
}

export interface AppOptions {
  log?: Logger;
  /** Wall time. */
  now?: Clock;
  /** Decides about waiting; by default it follows `now` if that is given. */
  monotonic?: Clock;
}

export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = pino({ level: config.logLevel }), now = Date.now } = options;
  const monotonic = options.monotonic ?? options.now ?? (() => performance.now());
  const persisted = await openPersisted({ config, schema, now, log });
  const ledger = ledgerFor(config, now, log);
  const standIn = config.upstream ? undefined : await startSandbox(now);
  const gateway = openGateway(config, config.upstream ?? standIn!, {
    ledger,
    now,
    monotonic,
    log,
  });
  const answers = createAnswers(gateway.store.shelf(), monotonic);
  const sandbox = standIn !== undefined;
  const mediaTypes = createMediaTypes();
  const { server, account } = createServer({
    schema,
    gateway,
    answers,
    mediaTypes,
    config,
    persisted,
    sandbox,
    log,
  });
  const prepare = createPrepare(server, persisted);
  const sockets = createWebSockets({ prepare, account, log });
  let isReady = true;
  const stop = () => {
    if (!isReady) return;
    isReady = false;
    endStreams(gateway);
    sockets.close();
  };
  const close = async (graceMs: number) => {
    stop();
    persisted.close();
    await server.dispose();
    await gateway.client.close(graceMs);
    await standIn?.close();
    ledger.close();
  };
  let closed: Promise<void> | undefined;
  return {
    handler: createHandler({
      graphql: (request, response) => void server(request, response),
      serveHot: createServeHot({ answers, ledger, sandbox, now: monotonic }),
      serveDirect: createServeDirect({
        prepare,
        mediaTypes,
        answers,
        ledger,
        sandbox,
        now: monotonic,
        log,
      }),
      allowOrigin: createAllowOrigin(config.corsOrigins),
      listVersion: persisted.version,
      isReady: () => isReady,
      account: () => extensionsOf(ledger, undefined, sandbox),
    }),
    upgrade: sockets.upgrade,
    fetch: async (request) => server.fetch(request),
    sandbox,
    stop,
    close: (graceMs = 0) => (closed ??= close(graceMs)),
  };
}

interface Surroundings {
  ledger: Ledger;
  now: Clock;
  monotonic: Clock;
  log: Logger;
}

function openGateway(config: Config, upstream: Upstream, around: Surroundings): Gateway {
  const { ledger, now, monotonic, log } = around;
  const client = createClient({
    upstreams: upstreamsOf(config, upstream),
    ledger,
    timeoutMs: config.upstreamTimeoutMs,
    timezone: config.timezone,
    now,
    log,
  });
  const store = createStore(config.cacheMaxBytes);
  const background = { fx: 0, macro: 0, credits: 0 };
  return { client, ledger, store, now, monotonic, background, settings: config };
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
