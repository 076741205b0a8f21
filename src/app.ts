import type { RequestListener } from 'node:http';
import pino, { type Logger } from 'pino';
import { createStore } from './cache/store.ts';
import { type Config, ConfigError } from './config.ts';
import { createCheckDocument } from './documents/check.ts';
import { openDocuments } from './documents/documents.ts';
import { createExecution } from './execution/execute.ts';
import { createTurns } from './execution/turns.ts';
import type { Gateway } from './graph/context.ts';
import { endStreams } from './graph/live.ts';
import { createServePage } from './graphiql/serve.ts';
import { createKeptAnswers } from './pipeline/kept-answers.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createReplies } from './pipeline/reply.ts';
import type { ObserveOperation } from './pipeline/request.ts';
import { perMeter } from './meters.ts';
import { createFailureLog, createOperationLog } from './observe/log.ts';
import { schema } from './schema.ts';
import { type Clock, sinceStart } from './time.ts';
import { createFetch } from './transport/fetch.ts';
import { createHttp } from './transport/http.ts';
import { createListener } from './transport/node.ts';
import { createWebSockets, type WebSockets } from './transport/websocket.ts';
import { createYogaTransport } from './transport/yoga.ts';
import { createClient } from './upstream/client.ts';
import { openLedger } from './usage/ledger.ts';
import type { Ledger } from './usage/units.ts';

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
  /** Decides about waiting, in milliseconds since any moment; by default it follows `now` if that is given. */
  monotonic?: Clock;
  /** Whether selections that only read objects are written as JSON at once (execution/compiler). */
  compile?: boolean;
  /** Called when an operation is over; by default it is logged at level debug. */
  onOperationEnd?: ObserveOperation;
}

export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = pino({ level: config.logLevel }), now = Date.now, compile = true } = options;
  const { monotonic = options.now ?? sinceStart } = options;
  const documents = await openDocuments({ config, schema, now: monotonic, log });
  const ledger = ledgerFor(config, { now, monotonic, log });
  const standIn = config.upstream ? undefined : await startSandbox(now);
  const sandbox = standIn !== undefined;
  const gateway = openGateway(config, config.upstream ?? standIn!, { ledger, now, monotonic, log });
  const keptAnswers = createKeptAnswers(gateway.store.namespace(), monotonic);
  const replies = createReplies({ keptAnswers, ledger, sandbox, monotonic, log });
  const turns = createTurns();
  const pipeline = createPipeline({
    gateway,
    keptAnswers,
    documents,
    checkDocument: createCheckDocument(schema),
    execution: createExecution({ schema, compile, turns }),
    turns,
    replies,
    settings: config,
    observe: options.onOperationEnd ?? createOperationLog(log),
    log,
  });
  let isReady = true;
  const http = createHttp({
    pipeline,
    yoga: createYogaTransport({ pipeline, replies, monotonic }),
    servePage: config.persistedOnly ? undefined : createServePage(),
    corsOrigins: config.corsOrigins,
    isReady: () => isReady,
    monotonic,
  });
  const sockets = createWebSockets(pipeline, schema);
  const stop = () => {
    if (!isReady) return;
    isReady = false;
    endStreams(gateway);
    sockets.close();
  };
  const close = async (graceMs: number) => {
    stop();
    documents.close();
    await gateway.client.close(graceMs);
    await standIn?.close();
    ledger.close();
  };
  let closed: Promise<void> | undefined;
  return {
    handler: createListener(http),
    upgrade: sockets.upgrade,
    fetch: createFetch(http),
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
    monotonic,
    onRequestEnd: createFailureLog(log),
  });
  const store = createStore(config.cacheMaxBytes);
  const background = perMeter(() => 0);
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
    A: { baseUrl: a.url, key: a.key, requestsPerSecond: undefined },
    B: { baseUrl: b.url, key: b.key, requestsPerSecond: groupBRequestsPerSecond },
  };
}

/** The sandbox's units are no real ones: they are not kept. */
function ledgerFor(config: Config, { now, monotonic, log }: Omit<Surroundings, 'ledger'>): Ledger {
  try {
    return openLedger({
      dataDir: config.upstream ? config.dataDir : undefined,
      limits: config.limits,
      timezone: config.timezone,
      now,
      monotonic,
      onSpentElsewhere: (meter, units) =>
        log.warn({ meter, units }, 'somebody else spends from the same allowance'),
    });
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot be used: ${String(error)}`);
  }
}
