import type { RequestListener } from 'node:http';
import pino, { type Logger } from 'pino';
import { createAdmin } from './admin/admin.ts';
import type { Config } from './config.ts';
import { createConsole } from './console/console.ts';
import { createCheckDocument } from './documents/check.ts';
import { createExecution } from './execution/execute.ts';
import { createTurns } from './execution/turns.ts';
import { preload } from './graph/preload.ts';
import { endStreams } from './graph/live.ts';
import { ledgerFor, openGateway, openUpstream } from './gateway.ts';
import { openListed } from './listed.ts';
import { createKeptAnswers } from './pipeline/kept-answers.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createReplies } from './pipeline/reply.ts';
import type { ObserveOperation } from './pipeline/request.ts';
import { createSocketLog } from './observe/log.ts';
import { createObservers } from './observe/observers.ts';
import { schema } from './schema.ts';
import { METERS } from './meters.ts';
import { openSharedState } from './shared/open.ts';
import { createStudio } from './studio/serve.ts';
import { createFallCount } from './spending/lifetimes.ts';
import { type Clock, sinceStart } from './time.ts';
import { createClientAddress, createIsTrusted } from './transport/client-address.ts';
import type { ConnectionOptions } from './transport/connections.ts';
import { createFetch } from './transport/fetch.ts';
import { createHttp, createOpenStreams } from './transport/http.ts';
import { createLifecycle } from './transport/lifecycle.ts';
import { createListener } from './transport/node.ts';
import { originRules } from './transport/origins.ts';
import { createWaitingBytes } from './transport/waiting-bytes.ts';
import { createWebSockets, type WebSockets } from './transport/websocket.ts';
import { warmUp } from './transport/warm-up.ts';
import { createYogaTransport } from './transport/yoga.ts';

/** The only place that wires parts together: from a configuration to something that answers requests. */

export interface App {
  /** Answers requests of a node:http server. */
  handler: RequestListener;
  /** Takes over connections that become WebSockets. */
  upgrade: WebSockets['upgrade'];
  /** What the server's connections are bounded by. */
  connections: ConnectionOptions;
  /** Answers those who run the gateway, on a port of their own; undefined: none is wanted. */
  admin: RequestListener | undefined;
  /** Answers requests of the Fetch API, for who embeds the endpoint in another server. */
  fetch(request: Request): Promise<Response>;
  /**
   * Makes the first answer as fast as later ones where earlier processes have left something to answer
   * with. To be called before the port opens; takes a second at most, and spends nothing.
   */
  warmUp(): Promise<void>;
  /** Whether all data are the sandbox's, since no upstream is configured. */
  sandbox: boolean;
  /** From now on /ready says no, and everything is served as before. */
  drain(): void;
  /** From now on /ready says no, and subscriptions end, so that clients subscribe elsewhere. */
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

/** Throws ConfigError for what cannot be used. Starts the sandbox where no upstream is configured. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = pino({ level: config.logLevel }), now = Date.now, compile = true } = options;
  const { monotonic = options.now ?? sinceStart } = options;
  const state = await openSharedState(config, { now, monotonic, log });
  const { shared, news } = state;
  const ledger = ledgerFor(config, { now, monotonic, log }, state.units);
  const closeState = () => ledger.close().then(state.close);
  const listed = await openListed(config, { schema, monotonic, log, news }).catch(async (error) => {
    await closeState();
    throw error;
  });
  const { documents, door } = listed;
  const { upstream, sandbox, closeUpstream } = await openUpstream(config, now);
  const { onOperationEnd } = options;
  const { history } = state.units;
  const isAdministered = config.admin.port !== 0;
  const watched = { log, now, monotonic, history, isAdministered, onOperationEnd };
  const observers = createObservers(watched);
  const { metrics, tallies, keyWatch, request: onRequestEnd } = observers;
  const around = { ledger, shared, history, turns: state.turns, now, monotonic, onRequestEnd };
  const gateway = openGateway(config, upstream, around);
  metrics?.describe(gateway);
  const preloaded = await preload(gateway);
  const falls = createFallCount(METERS.map((meter) => gateway.governors[meter].stretch));
  const keptAnswers = createKeptAnswers(gateway.store.namespace(), monotonic, falls);
  const replies = createReplies({ keptAnswers, ledger, sandbox, monotonic, log });
  const turns = createTurns();
  const steps = {
    gateway,
    keptAnswers,
    documents,
    checkDocument: createCheckDocument(schema),
    execution: createExecution({ schema, compile, turns }),
    turns,
    replies,
    settings: config,
    observe: observers.operation,
    log,
  };
  const pipeline = createPipeline(steps);
  const { readiness, drain, stop: stopOnce } = createLifecycle(keyWatch.isRefused);
  const openStreams = createOpenStreams();
  const rules = { ...originRules(config), ofClients: door?.allowsOrigin };
  const warn = (line: string) => log.warn(line);
  const routes = {
    pipeline,
    yoga: createYogaTransport({ pipeline, replies, monotonic }),
    studio: config.studio && !config.persistedOnly ? createStudio(warn) : undefined,
    originRules: rules,
    door,
    readiness,
    openStreams,
    monotonic,
  };
  const http = createHttp(routes);
  const clients = () => ({
    addressOf: createClientAddress(config.trustProxy),
    waitingBytes: createWaitingBytes(config.connections),
  });
  const sockets = createWebSockets({
    pipeline,
    schema,
    originRules: rules,
    door,
    addressOf: createClientAddress(config.trustProxy),
    limits: config.sockets,
    report: createSocketLog(log, monotonic),
  });
  const stop = () =>
    stopOnce(() => {
      openStreams.endAll();
      endStreams(gateway);
      sockets.close();
    });
  const close = async (graceMs: number) => {
    stop();
    listed.close();
    await gateway.client.close(graceMs);
    await closeUpstream();
    tallies?.close();
    await closeState();
  };
  let closed: Promise<void> | undefined;
  return {
    handler: createListener({ http, ...clients(), observe: metrics?.observeReply }),
    async warmUp() {
      if (preloaded === 0) return;
      const checkDocument = createCheckDocument(schema);
      await warmUp({ pipeline: steps, http: routes, listener: clients(), checkDocument });
    },
    upgrade: sockets.upgrade,
    connections: { ...config.connections, isTrustedProxy: createIsTrusted(config.trustProxy) },
    fetch: createFetch(http),
    admin:
      metrics &&
      tallies &&
      createAdmin({
        metrics,
        console: createConsole({
          ...gateway,
          history,
          tallies,
          isKeyRefused: keyWatch.isRefused,
          sandbox,
          timezone: config.timezone,
        }),
        readiness,
        token: config.admin.token,
        originRules: originRules({ ...config, host: config.admin.host, corsOrigins: [] }),
      }),
    sandbox,
    drain,
    stop,
    close: (graceMs = 0) => (closed ??= close(graceMs)),
  };
}
