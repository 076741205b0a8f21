import { RESP_TYPES } from '@redis/client';

/** What connections to one server and to a cluster have in common. */

export interface Connection {
  /** Sends one command, whose first key is `key`. Rejects where there is no connection, and says why there is none. */
  send(key: string, args: readonly (string | Buffer)[]): Promise<unknown>;
  /** Calls `listener` with what is published on the channel, after each reconnection, too. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Of a cluster, as far as it is known. */
  masters(): readonly Address[];
  close(): void;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What becomes of a connection. */
export interface Events {
  onReady(): void;
  /** It could not be made, or broke: another one is begun. */
  onError(error: unknown): void;
  /** It leads to a node of a cluster. */
  onCluster(): void;
}

/** A server that is back is noticed soon; the jitter keeps replicas apart. */
export const retryMs = () => 100 + Math.random() * 100;
/** A frozen server takes connections, but answers nothing. */
export const SOCKET = { socketTimeout: 1000, connectTimeout: 1000, reconnectStrategy: retryMs };
/** Commands wait for no connection: whoever waits for them goes on by itself. */
export const COMMON = {
  disableOfflineQueue: true,
  pingInterval: 500,
  maintNotifications: 'disabled',
  commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
} as const;

/** Trouble shows in what is sent: it is rejected, or takes too long. */
export const ignore = () => undefined;
