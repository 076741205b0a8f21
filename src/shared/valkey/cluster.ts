import { setTimeout as pause } from 'node:timers/promises';
import { createCluster } from '@redis/client';
import {
  type Address,
  CLIENT_OPTIONS,
  type Connection,
  type Events,
  ignore,
  retryMs,
  SOCKET_OPTIONS,
} from './connection.ts';

/**
 * A cluster has several connections. Over some of them only the client's own pings are sent, whose replies nobody here
 * would miss: so the client itself gives up each one that is silent.
 */
const SOCKET = { ...SOCKET_OPTIONS, socketTimeout: 1000 };

/** Opens a connection to a cluster. `known`: nodes found earlier, in addition to those of `urls`. */
export function openCluster(
  urls: readonly string[],
  known: readonly Address[],
  { onReady, onError }: Events,
): Connection {
  const { username, password, protocol } = new URL(urls[0]!);
  const cluster = createCluster({
    rootNodes: [
      ...urls.map((url) => ({ url, socket: { ...SOCKET } })),
      ...known.map(({ host, port }) => ({ socket: { ...SOCKET, host, port } })),
    ],
    // All keys are on one node: nobody waits for connections to the others.
    minimizeConnections: true,
    // Credentials and TLS of the first address apply to nodes that are found later, too.
    defaults: {
      ...CLIENT_OPTIONS,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      socket: { ...SOCKET, ...(protocol === 'rediss:' && { tls: true }) },
    },
  });
  let isClosed = false;

  async function connect(): Promise<void> {
    await cluster.connect().catch(() => undefined);
    if (isClosed) return end();
    if (cluster.isReady) return onReady();
    await pause(retryMs());
    return isClosed ? undefined : connect();
  }

  /** It also counts as open while it is still connecting. */
  function end(): void {
    isClosed = true;
    if (cluster.isOpen) cluster.destroy();
  }

  cluster.on('error', onError).on('node-error', onError);
  const connected = connect();
  return {
    send: (key, args) => cluster.sendCommand(key, false, [...args]),
    listen: (channel, listener) =>
      void connected
        .then(() => (isClosed ? undefined : cluster.subscribe(channel, listener)))
        .catch(ignore),
    masters: () => cluster.masters.map(({ host, port }) => ({ host, port })),
    close: end,
  };
}
