import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bounds on connections, whatever is sent over them. */
export interface ConnectionOptions {
  max: number;
  maxPerAddress: number;
  maxHeaderBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** Connections of trusted proxies are not counted by address, since each proxy serves many clients. */
  isTrustedProxy: ((address: string) => boolean) | undefined;
}

/** A server that listens. */
export interface Listening {
  url: string;
  /** Stops accepting connections, gives running requests `graceMs` to finish, then cuts those that are left. */
  close(graceMs: number): Promise<void>;
}

/** How a server handles requests, upgrades and connections. */
export interface Listener {
  serverOptions: ServerOptions;
  handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections: ConnectionOptions;
}

/** How often node:http checks for connections that have timed out. */
const CHECK_EVERY_MS = 1000;

/** Returns the options for the bounds that node:http enforces itself. */
export function boundsOf(options: Omit<ConnectionOptions, 'isTrustedProxy'>): ServerOptions {
  const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = options;
  return {
    maxHeaderSize: maxHeaderBytes,
    // node:http requires that the head gets no more time than the whole request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeoutMs, requestTimeoutMs),
  };
}

const IDLE_CHECK_EVERY_MS = 50;

/** How long connections that are cut may take to close. */
const MAX_CLOSE_MS = 500;

/** Gives running requests `graceMs` to finish, then cuts their connections. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const timers = [
    setTimeout(() => server.closeAllConnections(), graceMs),
    // A connection whose last answer ends during that time would otherwise be kept for another request.
    setInterval(() => server.closeIdleConnections(), IDLE_CHECK_EVERY_MS),
    // Connections that take longer to close are not waited for.
    setTimeout(resolve, graceMs + MAX_CLOSE_MS),
  ];
  server.close(() => resolve());
  await closed;
  for (const timer of timers) clearTimeout(timer);
}
