import { RESP_TYPES } from '@redis/client';

/** What connections to one server and to a cluster have in common. */

export interface Connection {
  /** Sends one command, whose first key is `key`. Rejects if there is no connection, and says why. */
  send(key: string, args: readonly (string | Buffer)[]): Promise<unknown>;
  /** Calls `listener` with what is published on the channel, also after a reconnection. */
  listen(channel: string, listener: (message: string) => void): void;
  /** The masters of a cluster, as far as they are known. */
  masters(): readonly Address[];
  close(): void;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Callbacks for what becomes of a connection. */
export interface Events {
  onReady(): void;
  /** Called when it could not be made, or broke: another attempt follows. */
  onError(error: unknown): void;
  /** Called when it leads to a node of a cluster. */
  onCluster(): void;
}

/** Backoff before reconnecting: short, to notice soon that a server is back; the jitter keeps replicas apart. */
export const retryMs = () => 100 + Math.random() * 100;
/**
 * No `socketTimeout`: after a standstill of this process, it would fire before the replies that have arrived are
 * read, and cut a healthy connection. A silent one is replaced by the code that misses its replies (`RENEW_MS`).
 */
export const SOCKET_OPTIONS = { connectTimeout: 1000, reconnectStrategy: retryMs };
/** Commands are not queued while there is no connection: those that wait for them go on without the server. */
export const CLIENT_OPTIONS = {
  disableOfflineQueue: true,
  pingInterval: 500,
  maintNotifications: 'disabled',
  commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
} as const;

/** For errors that need no handling: trouble shows in later commands, which are rejected or take too long. */
export const ignore = () => undefined;
