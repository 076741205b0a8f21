import { observedAuthenticator } from '../clients/observed.ts';
import { endStreams } from '../graph/streams.ts';
import { schema } from '../schema.ts';
import { createStudio } from '../studio/serve.ts';
import { createClientAddress } from '../transport/client-address.ts';
import { createHttp, createOpenStreams } from '../transport/http.ts';
import { createLifecycle } from '../transport/lifecycle.ts';
import { originRules } from '../transport/origins.ts';
import { createUnfinishedBytes } from '../transport/unfinished-bytes.ts';
import { createWebSockets } from '../transport/websocket.ts';
import { createYogaTransport } from '../transport/yoga.ts';
import type { Base } from './base.ts';
import type { Operations } from './operations.ts';

/** Creates the transports by which operations arrive until the app is stopped: HTTP and WebSocket. */
export function createTransports(base: Base, { pipeline, replies }: Operations) {
  const { config, gateway, listed, observers, log } = base;
  const authenticator =
    listed.authenticator && observedAuthenticator(listed.authenticator, observers.client);
  const { state, readiness, drain, stop } = createLifecycle(
    () => observers.keyWatch.refusedBy().length > 0,
  );
  const openStreams = createOpenStreams();
  const rules = { ...originRules(config), isClientOrigin: authenticator?.allowsOrigin };
  const common = { pipeline, authenticator, originRules: rules };
  const warn = (line: string) => log.warn(line);
  const http = createHttp({
    ...common,
    yoga: createYogaTransport(pipeline, replies),
    studio: config.studio && !config.persistedOnly ? createStudio(warn) : undefined,
    readiness,
    openStreams,
  });
  const unfinishedBytes = createUnfinishedBytes();
  const sockets = createWebSockets({
    ...common,
    schema,
    addressOf: createClientAddress(config.trustProxy),
    limits: config.sockets,
    unfinishedBytes,
    report: observers.socket,
  });
  const end = () => {
    openStreams.endAll();
    endStreams(gateway);
    sockets.close();
  };
  return {
    http,
    sockets,
    openStreams,
    unfinishedBytes,
    lifecycle: state,
    readiness,
    drain,
    stop: () => stop(end),
  };
}

export type Transports = ReturnType<typeof createTransports>;
