import pino, { type Logger } from 'pino';
import { adminRules, createAdmin } from './admin/admin.ts';
import type { Member } from './admin/member.ts';
import type { Config } from './config.ts';
import { createConsole } from './console/console.ts';
import { createCheckDocument } from './documents/check.ts';
import type { App } from './embed.ts';
import { createExecution } from './execution/execute.ts';
import { createTurns } from './execution/turns.ts';
import { preload } from './graph/preload.ts';
import { endStreams, openSubscriptions } from './graph/live.ts';
import { ledgerFor, openGateway, openUpstream } from './gateway.ts';
import { openListed } from './listed.ts';
import { createKeptAnswers } from './pipeline/kept-answers.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { createPlaces } from './pipeline/places.ts';
import { createReplies } from './pipeline/reply.ts';
import type { ObserveOperation } from './pipeline/request.ts';
import { createSocketLog } from './observe/log.ts';
import { createBatch } from './observe/batch.ts';
import { createMetrics } from './observe/metrics.ts';
import { createObservers } from './observe/observers.ts';
import { schema } from './schema.ts';
import { METERS } from './meters.ts';
import { openSharedState } from './shared/open.ts';
import { createStudio } from './studio/serve.ts';
import { createFallCount } from './spending/lifetimes.ts';
import { type Clock, sinceStart } from './time.ts';
import { createClientAddress, createIsTrusted } from './transport/client-address.ts';
import { boundsOf } from './transport/connections.ts';
import { createFetch } from './transport/fetch.ts';
import { createHttp, createOpenStreams } from './transport/http.ts';
import { createLifecycle } from './transport/lifecycle.ts';
import { createListener } from './transport/node.ts';
import { originRules } from './transport/origins.ts';
import { createWaitingBytes } from './transport/waiting-bytes.ts';
import { createWebSockets, isForWebSocket } from './transport/websocket.ts';
import { createYogaTransport } from './transport/yoga.ts';
import { warmUp } from './warm-up.ts';

/** The only place that wires parts together: from a configuration to something that answers requests. */

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
}

/** Throws ConfigError for what cannot be used. Starts the sandbox where no upstream is configured. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = pino({ level: config.logLevel }), now = Date.now, compile = true } = options;
  const { onOperationEnd, member, keepsInMemory } = options;
  const { monotonic = options.now ?? sinceStart } = options;
  const repeats = createBatch(now);
  const metrics = config.admin.port === 0 ? undefined : createMetrics(repeats.tell);
  const observe = metrics?.observeStoreCall;
  const state = await openSharedState(config, { now, monotonic, log, observe, keepsInMemory });
  const { shared, turns: pace = member?.turns, news = member?.news } = state;
  const ledger = ledgerFor(config, { now, monotonic, log }, state.units);
  const closeState = () => ledger.close().then(state.close);
  const listed = await openListed(config, {
    schema,
    monotonic,
    log,
    news,
    siblings: member?.siblings,
  }).catch(async (error) => {
    await closeState();
    throw error;
  });
  const { documents, door } = listed;
  const { upstream, isSandbox, closeUpstream } = await openUpstream(config, now);
  const sandbox = isSandbox || member?.isSandbox === true;
  const { history } = state.units;
  const watched = {
    log,
    now,
    monotonic,
    history,
    repeats,
    metrics,
    tracing: config.tracing,
    upstream,
    onOperationEnd,
  };
  const observers = await createObservers(watched);
  const { keyWatch, tallies, beginTrace, request: onRequestEnd } = observers;
  const common = { ledger, shared, history, turns: pace, now, monotonic };
  const gateway = openGateway(config, upstream, { ...common, onRequestEnd, beginTrace });
  await preload(gateway);
  const falls = createFallCount(METERS.map((meter) => gateway.governors[meter].stretch));
  const keptAnswers = createKeptAnswers(gateway.store.namespace(), falls);
  const replies = createReplies({ keptAnswers, ledger, sandbox, monotonic, log });
  const turns = createTurns();
  const checkDocument = createCheckDocument(schema);
  const places = createPlaces(turns, config.maxOperations, monotonic);
  const steps = {
    gateway,
    keptAnswers,
    documents,
    checkDocument,
    execution: createExecution({ schema, compile, turns }),
    turns,
    places,
    replies,
    settings: config,
    observer: observers.operation,
    log,
  };
  const pipeline = createPipeline(steps);
  const { readiness, drain, stop: stopOnce } = createLifecycle(keyWatch.isRefused);
  const openStreams = createOpenStreams();
  const rules = { ...originRules(config), ofClients: door?.allowsOrigin };
  const warn = (line: string) => log.warn(line);
  const routes = {
    pipeline,
    yoga: createYogaTransport({ pipeline, replies }),
    studio: config.studio && !config.persistedOnly ? createStudio(warn) : undefined,
    originRules: rules,
    door,
    readiness,
    openStreams,
  };
  const http = createHttp(routes);
  const sockets = createWebSockets({
    pipeline,
    schema,
    originRules: rules,
    door,
    addressOf: createClientAddress(config.trustProxy),
    limits: config.sockets,
    report: createSocketLog(log, monotonic),
  });
  const open = {
    subscriptions: () => openSubscriptions(gateway),
    eventStreams: openStreams.count,
    webSockets: sockets.count,
  };
  const documentBytes = { parsed: checkDocument.size, registered: documents.registeredBytes };
  const described = { gateway, keyWatch, places, store: state.store, open };
  metrics?.describe({ ...described, documents: documentBytes });
  const stop = () =>
    stopOnce(() => {
      openStreams.endAll();
      endStreams(gateway);
      sockets.close();
    });
  const close = async (graceMs: number) => {
    stop();
    listed.close();
    const end = performance.now() + graceMs;
    await gateway.client.close(graceMs);
    await observers.close(Math.max(0, end - performance.now()));
    await closeUpstream();
    await closeState();
  };
  let closed: Promise<void> | undefined;
  const page =
    tallies &&
    createConsole({
      ...gateway,
      history,
      tallies,
      isKeyRefused: keyWatch.isRefused,
      sandbox,
      timezone: config.timezone,
    });
  member?.offer({ metrics, console: page, readiness, flush: () => tallies?.flush() });
  return {
    serverOptions: { ...boundsOf(config.connections), shouldUpgradeCallback: isForWebSocket },
    handler: createListener({
      http,
      addressOf: createClientAddress(config.trustProxy),
      waitingBytes: createWaitingBytes(config.connections),
      observe: metrics?.observeReply,
    }),
    warmUp: () => warmUp(createApp),
    upgrade: sockets.upgrade,
    connections: { ...config.connections, isTrustedProxy: createIsTrusted(config.trustProxy) },
    fetch: createFetch(http),
    admin:
      metrics && page && createAdmin({ metrics, console: page, readiness, ...adminRules(config) }),
    sandbox,
    drain,
    stop,
    close: (graceMs = 0) => (closed ??= close(graceMs)),
  };
}
