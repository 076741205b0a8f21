import { ClientOfflineError, createClient } from '@redis/client';
import { COMMON, type Connection, type Events, ignore, SOCKET } from './connection.ts';

const SILENT = 'it has answered nothing yet';

/** A connection to one server. `onCluster` is called instead of `onReady` where it is a node of a cluster. */
export function openSingle(url: string, { onReady, onError, onCluster }: Events): Connection {
  const client = createClient({ ...COMMON, url, socket: { ...SOCKET } });
  let isClosed = false;
  /** Whether it is known what it leads to: nothing is sent before. */
  let isLooked = false;
  let unheard: Parameters<Connection['listen']>[] = [];

  /** Once a channel is subscribed to, the client does so again after each reconnection. */
  function subscribe(): void {
    const all = unheard;
    unheard = [];
    for (const one of all) client.subscribe(...one).catch(() => unheard.push(one));
  }

  /** Whether it leads to a cluster. Who may not ask is told by the first command for a key that is on another node. */
  async function look(): Promise<void> {
    // It was closed while it was being connected.
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
