import type { IncomingMessage, RequestListener, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Config } from './config.ts';
import type { ConnectionOptions } from './transport/connections.ts';

/**
 * The whole gateway as a part of another server, such as main.ts. The declarations of the package are made from
 * this file (build/types.ts): it names no other package, since none is installed with ours.
 */

export { type Config, ConfigError, readConfig } from './config.ts';

export interface App {
  /**
   * For `createServer` of node:http: how long requests may take and be, and that no other upgrade than to a
   * WebSocket is taken up, as the one to HTTP/2 that some clients offer with any request.
   */
  serverOptions: ServerOptions;
  /** Answers requests of a node:http server. */
  handler: RequestListener;
  /** Takes over connections that become WebSockets: a server's `upgrade` events. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What the server's connections are bounded by. */
  connections: ConnectionOptions;
  /** Answers those who run the gateway, on a port of their own; undefined: none is wanted. */
  admin: RequestListener | undefined;
  /**
   * Answers requests of the Fetch API, for who embeds the endpoint in another server. `address`: whose request it is, as an IP
   * address, where clients have no keys; requests without one take turns, and share places, as those of one client.
   */
  fetch(request: Request, from?: { address?: string }): Promise<Response>;
  /**
   * Makes the first answers nearly as fast as later ones. To be called before the port opens; takes two
   * seconds at most, and spends nothing.
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

/** What the gateway says: what it is about and what there is to say, or only the latter. */
type Line = (about: unknown, message?: string, ...values: unknown[]) => void;

/** As much of a logger as is called; pino's loggers are such. */
export interface Log {
  isLevelEnabled(level: string): boolean;
  debug: Line;
  info: Line;
  warn: Line;
  error: Line;
}

export interface EmbedOptions {
  /** A logger of pino's; by default lines of JSON at `config.logLevel` go to the standard output. */
  log?: Log;
}

/**
 * Opens what `config` names (files, shared state, the upstream), and does not listen: hand `handler` and
 * `upgrade` to a node:http server, or requests to `fetch`. Rejects with ConfigError for what cannot be used.
 */
export type CreateApp = (config: Config, options?: EmbedOptions) => Promise<App>;
