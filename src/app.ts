import { adminRules, createAdmin } from './admin/admin.ts';
import type { Member } from './admin/member.ts';
import { type AppOptions, type Base, openBase } from './app/base.ts';
import { createTransports, type Transports } from './app/transports.ts';
import { createOperations, type Operations } from './app/operations.ts';
import type { Config } from './config.ts';
import { createConsole } from './console/console.ts';
import type { App } from './embed.ts';
import { openSubscriptions } from './graph/streams.ts';
import { warnOfConfig } from './observe/start-lines.ts';
import { createClientAddress, createIsTrusted } from './transport/client-address.ts';
import { boundsOf } from './transport/connections.ts';
import { createFetch } from './transport/fetch.ts';
import { createListener } from './transport/node.ts';
import { createWaitingBytes } from './transport/waiting-bytes.ts';
import { isForWebSocket } from './transport/websocket.ts';
import { warmUp } from './warm-up.ts';

/** Builds an app that answers requests from a configuration; app/, gateway.ts and listed.ts wire its parts. */

export type { AppOptions } from './app/base.ts';

/** Rejects with ConfigError if something configured cannot be used. Starts the sandbox if no upstream is configured. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const base = await openBase(config, options);
  // Workers do not warn: the primary process does so once for all of them.
  if (!options.member) warnOfConfig(base.log, config);
  const operations = createOperations(base, options.compile ?? true);
  const transports = createTransports(base, operations);
  const { http, sockets, drain, stop } = transports;
  const admin = adminFor(base, operations, transports, options.member);
  let closed: Promise<void> | undefined;
  const shutDown = (graceMs: number) => {
    stop();
    return base.close(graceMs);
  };
  return {
    serverOptions: { ...boundsOf(config.connections), shouldUpgradeCallback: isForWebSocket },
    handler: listenerFor(base, operations, transports),
    warmUp: () => warmUp(createApp),
    upgrade: sockets.upgrade,
    connections: { ...config.connections, isTrustedProxy: createIsTrusted(config.trustProxy) },
    fetch: createFetch(http),
    admin,
    sandbox: base.sandbox,
    drain,
    stop,
    close: (graceMs = 0) => (closed ??= shutDown(graceMs)),
  };
}

const listenerFor = (
  { config, metrics, log }: Base,
  { turns }: Operations,
  { http, lifecycle, unfinishedBytes }: Transports,
) =>
  createListener({
    http,
    addressOf: createClientAddress(config.trustProxy),
    waitingBytes: createWaitingBytes(config.connections),
    unfinishedBytes,
    turns,
    lifecycle,
    log,
    observe: metrics?.observeReply,
  });

/** Creates the operator's view: metrics, console and readiness. A worker also offers them to the primary process. */
function adminFor(
  base: Base,
  operations: Operations,
  transports: Transports,
  member: Member | undefined,
) {
  const { config, metrics, observers, sandbox, gateway, state } = base;
  const { tallies, keyWatch } = observers;
  const { readiness } = transports;
  metrics?.describe(stateForMetrics(base, operations, transports));
  const { history } = state.units;
  const known = { keyRefusedBy: keyWatch.refusedBy, canCount: state.store.canCount };
  const consoleOptions = { ...gateway, ...known, history, sandbox, timezone: config.timezone };
  const page = tallies && createConsole({ ...consoleOptions, tallies });
  member?.offer({ metrics, console: page, readiness, flush: () => tallies?.flush() });
  return (
    metrics && page && createAdmin({ metrics, console: page, readiness, ...adminRules(config) })
  );
}

/** The current state that the metrics report. */
function stateForMetrics(
  { gateway, observers, state, listed }: Base,
  { places, checkDocument }: Operations,
  { openStreams, sockets }: Transports,
) {
  const open = {
    subscriptions: () => openSubscriptions(gateway),
    eventStreams: openStreams.count,
    webSockets: sockets.count,
  };
  const documents = { parsed: checkDocument.size, registered: listed.documents.registeredBytes };
  return { gateway, keyWatch: observers.keyWatch, places, store: state.store, open, documents };
}
