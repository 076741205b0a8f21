import { ClientOfflineError, createClient } from '@redis/client';
import { COMMON, type Connection, type Events, ignore, SOCKET } from './connection.ts';

const SILENT = 'it has answered nothing yet';

/** Opens a connection to one server. `onCluster` is called instead of `onReady` if that is a node of a cluster. */
export function openSingle(url: string, { onReady, onError, onCluster }: Events): Connection {
  const client = createClient({ ...COMMON, url, socket: { ...SOCKET } });
  let isClosed = false;
  /** Whether it is known what the connection leads to; nothing is sent before that. */
  let isLooked = false;
  let unheard: Parameters<Connection['listen']>[] = [];

  /** Subscribes to what is not subscribed to yet. The client does so again by itself after each reconnection. */
  function subscribe(): void {
    const all = unheard;
    unheard = [];
    for (const one of all) client.subscribe(...one).catch(() => unheard.push(one));
  }

  /**
   * Finds out whether it leads to a cluster. If the user may not ask, the first command for a key on another node shows
   * it.
   */
  async function look(): Promise<void> {
    // Closed while it was connecting.
    if (isClosed) return client.destroy();
    const info = await client.sendCommand(['INFO', 'cluster']).catch(ignore);
    if (isClosed) return;
    if (tellsOfCluster(info)) return onCluster();
    isLooked = true;
    subscribe();
    onReady();
  }

  client.on('error', onError).on('ready', () => void look());
  client.connect().catch(ignore);
  return {
    send: (_key, args) =>
      isLooked
        ? client.sendCommand(args)
        : Promise.reject(client.isReady ? new Error(SILENT) : new ClientOfflineError()),
    listen(...one) {
      unheard.push(one);
      if (isLooked && client.isReady) subscribe();
    },
    masters: () => [],
    close() {
      isClosed = true;
      client.destroy();
    },
  };
}

const tellsOfCluster = (info: unknown) =>
  (typeof info === 'string' || Buffer.isBuffer(info)) && info.includes('cluster_enabled:1');
