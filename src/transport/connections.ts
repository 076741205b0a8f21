import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bounds on connections, whatever is sent on them. */
export interface ConnectionOptions {
  max: number;
  maxPerAddress: number;
  maxHeaderBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** Proxies bring the connections of many clients: these are not counted by address. */
  isTrustedProxy: ((address: string) => boolean) | undefined;
}

/** A server that listens. */
export interface Listening {
  url: string;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** What a server does with what comes in. */
export interface Listener {
  serverOptions: ServerOptions;
  handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections: ConnectionOptions;
}

/** How often node:http looks for connections that have taken too long. */
const CHECK_EVERY_MS = 1000;

/** What node:http bounds by itself. */
export function boundsOf(options: Omit<ConnectionOptions, 'isTrustedProxy'>): ServerOptions {
  const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = options;
  return {
    maxHeaderSize: maxHeaderBytes,
    // node:http wants the head to have no more time than the whole.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeoutMs, requestTimeoutMs),
  };
}

const IDLE_LOOK_MS = 50;

/** Connections that are cut get so long to close. */
const LAST_MS = 500;

/** Lets what is running finish for `graceMs`, then cuts it. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection whose last answer ends only now would be kept for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
    // A connection that closes later than that is not waited for.
    const giveUp = setTimeout(() => {
      clearInterval(idle);
      resolve();
    }, graceMs + LAST_MS);
    server.close(() => {
      clearInterval(idle);
      for (const timer of [cut, giveUp]) clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
