import { ClientOfflineError, createClient } from '@redis/client';
import {
  CLIENT_OPTIONS,
  type Connection,
  type Events,
  ignore,
  SOCKET_OPTIONS,
} from './connection.ts';

const NO_REPLY_YET = 'connected, but no reply yet';

/** Opens a connection to one server. `onCluster` is called instead of `onReady` if that is a node of a cluster. */
export function openSingle(url: string, { onReady, onError, onCluster }: Events): Connection {
  const client = createClient({ ...CLIENT_OPTIONS, url, socket: { ...SOCKET_OPTIONS } });
  let isClosed = false;
  /** Whether it is known what the connection leads to; nothing is sent before that. */
  let isIdentified = false;
  let pendingListeners: Parameters<Connection['listen']>[] = [];

  /** Subscribes to what is not subscribed to yet. The client does so again by itself after each reconnection. */
  function subscribe(): void {
    const all = pendingListeners;
    pendingListeners = [];
    for (const one of all) client.subscribe(...one).catch(() => pendingListeners.push(one));
  }

  /**
   * Finds out whether it leads to a cluster. If the user may not ask, the first command for a key on another node shows
   * it.
   */
  async function identify(): Promise<void> {
    // Closed while it was connecting.
    if (isClosed) return client.destroy();
    const info = await client.sendCommand(['INFO', 'cluster']).catch(ignore);
    if (isClosed) return;
    if (saysIsCluster(info)) return onCluster();
    isIdentified = true;
    subscribe();
    onReady();
  }

  client.on('error', onError).on('ready', () => void identify());
  client.connect().catch(ignore);
  return {
    send: (_key, args) =>
      isIdentified
        ? client.sendCommand(args)
        : Promise.reject(client.isReady ? new Error(NO_REPLY_YET) : new ClientOfflineError()),
    listen(...one) {
      pendingListeners.push(one);
      if (isIdentified && client.isReady) subscribe();
    },
    masters: () => [],
    close() {
      isClosed = true;
      client.destroy();
    },
  };
}

const saysIsCluster = (info: unknown) =>
  (typeof info === 'string' || Buffer.isBuffer(info)) && info.includes('cluster_enabled:1');
