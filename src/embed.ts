import type { IncomingMessage, RequestListener, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Config } from './config.ts';
import type { ConnectionOptions } from './transport/connections.ts';

/**
 * The whole gateway as a part of another server, such as main.ts. The package's type declarations are generated from
 * this file (build/types.ts): it refers to no other package, since none is installed along with this one.
 */

export { type Config, ConfigError, readConfig } from './config.ts';

export interface App {
  /**
   * For `createServer` of node:http: how long requests may take, how large their headers may be, and that only upgrades
   * to a WebSocket are accepted; some clients offer one to HTTP/2 with every request.
   */
  serverOptions: ServerOptions;
  /** Answers requests of a node:http server. */
  handler: RequestListener;
  /** Takes over connections that become WebSockets; for a server's `upgrade` events. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Limits on the server's connections. */
  connections: ConnectionOptions;
  /** Answers the operator's requests, on a port of its own; undefined: no admin listener is wanted. */
  admin: RequestListener | undefined;
  /**
   * Answers requests of the Fetch API, for servers that embed the endpoint. `address`: the client's IP address, which
   * tells clients without keys apart; requests without one share turns and places as if they came from one client.
   */
  fetch(request: Request, from?: { address?: string }): Promise<Response>;
  /**
   * Makes the first answers nearly as fast as later ones. Call it before the port opens; it takes two seconds at most,
   * and spends nothing.
   */
  warmUp(): Promise<void>;
  /** Whether all data come from the sandbox, since no upstream is configured. */
  sandbox: boolean;
  /** From now on /ready responds with 503, while everything is served as before. */
  drain(): void;
  /** From now on /ready responds with 503, and subscriptions end, so that clients subscribe elsewhere. */
  stop(): void;
  /** Gives upstream requests in flight `graceMs` to finish, so that none is paid for without being counted. */
  close(graceMs?: number): Promise<void>;
}

/** Logs an object with an optional message, or only a message. */
type Line = (about: unknown, message?: string, ...values: unknown[]) => void;

/** The part of a logger that the gateway uses; pino's loggers have it. */
export interface Log {
  isLevelEnabled(level: string): boolean;
  debug: Line;
  info: Line;
  warn: Line;
  error: Line;
}

export interface EmbedOptions {
  /** A pino logger; by default JSON lines at `config.logLevel` go to the standard output. */
  log?: Log;
}

/**
 * Opens what `config` names (files, shared state, the upstream) without listening: pass `handler` and `upgrade` to a
 * node:http server, or requests to `fetch`. Rejects with ConfigError if something configured cannot be used.
 */
export type CreateApp = (config: Config, options?: EmbedOptions) => Promise<App>;
