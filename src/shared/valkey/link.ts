import { setTimeout as pause } from 'node:timers/promises';
import {
  ClientClosedError,
  ClientOfflineError,
  createClient,
  createCluster,
  RESP_TYPES,
} from '@redis/client';

/** The connection to a Valkey or Redis server, or to a cluster of them, which is told from its answers. */
export interface Link {
  /** Sends one command, whose first key is `key`. Rejects where there is no connection, and says why there is none. */
  send(key: string, args: readonly (string | Buffer)[]): Promise<unknown>;
  /** Calls `listener` with what is published on the channel, after each reconnection, too. */
  listen(channel: string, listener: (message: string) => void): void;
  /** Begins a new connection in place of one that brings no answers. */
  renew(): void;
  close(): void;
}

/** A server that is back is noticed soon; the jitter keeps replicas apart. */
const retryMs = () => 100 + Math.random() * 100;
/** A frozen server takes connections, but answers nothing. */
const SOCKET = { socketTimeout: 1000, connectTimeout: 1000, reconnectStrategy: retryMs };
/** Commands wait for no connection: whoever waits for them goes on by itself. */
const COMMON = {
  disableOfflineQueue: true,
  pingInterval: 500,
  maintNotifications: 'disabled',
  socket: SOCKET,
  commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
} as const;

/** `url`: one server, or several nodes of a cluster, separated by commas. */
export function openLink(url: string, onReady: () => void): Link {
  const urls = url.split(',');
  const listeners: Parameters<Link['listen']>[] = [];
  let isCluster = urls.length > 1;
  let lastFailure: string | undefined;
  const events = { onReady, onError: (error: unknown) => void (lastFailure = reasonOf(error)) };
  const open = () => (isCluster ? openCluster(urls, events) : openSingle(url, events));
  let current = open();

  function renew(): void {
    current.close();
    current = open();
    for (const one of listeners) current.listen(...one);
  }

  /** One node of a cluster leads to the others. */
  function becomeCluster(): void {
    if (isCluster) return;
    isCluster = true;
    renew();
  }

  return {
    async send(key, args) {
      try {
        return await current.send(key, args);
      } catch (error) {
        if (error instanceof Error && /^(MOVED|CROSSSLOT) /.test(error.message)) becomeCluster();
        throw isUnconnected(error) && lastFailure
          ? new Error(`no connection: ${lastFailure}`)
          : error;
      }
    },
    listen(...one) {
      listeners.push(one);
      current.listen(...one);
    },
    renew,
    close: () => current.close(),
  };
}

const isUnconnected = (error: unknown) =>
  error instanceof ClientOfflineError || error instanceof ClientClosedError;

/** Why a connection fails, e.g. ECONNREFUSED or WRONGPASS: the text behind may hold an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.message;
}

type Connection = Omit<Link, 'renew'>;

/** What becomes of a connection. */
interface Events {
  onReady(): void;
  /** It could not be made, or broke: another one is begun. */
  onError(error: unknown): void;
}

function openSingle(url: string, { onReady, onError }: Events): Connection {
  const client = createClient({ ...COMMON, url, socket: { ...SOCKET } });
  let isClosed = false;
  let unheard: Parameters<Link['listen']>[] = [];

  /** Once a channel is subscribed to, the client does so again after each reconnection. */
  function subscribe(): void {
    const all = unheard;
    unheard = [];
    for (const one of all) client.subscribe(...one).catch(() => unheard.push(one));
  }

  client.on('error', onError).on('ready', () => {
    // It was closed while it was being connected.
    if (isClosed) return client.destroy();
    subscribe();
    onReady();
  });
  client.connect().catch(ignore);
  return {
    send: (_key, args) => client.sendCommand(args),
    listen(...one) {
      unheard.push(one);
      if (client.isReady) subscribe();
    },
    close() {
      isClosed = true;
      client.destroy();
    },
  };
}

function openCluster(urls: readonly string[], { onReady, onError }: Events): Connection {
  const { username, password, protocol } = new URL(urls[0]!);
  const cluster = createCluster({
    rootNodes: urls.map((url) => ({ url, socket: { ...SOCKET } })),
    // What the first address says holds for nodes that are found later, too.
    defaults: {
      ...COMMON,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      socket: { ...SOCKET, ...(protocol === 'rediss:' && { tls: true }) },
    },
  });
  let isClosed = false;

  async function connect(): Promise<void> {
    await cluster.connect().catch(() => undefined);
    if (isClosed) return void (cluster.isReady && cluster.destroy());
    if (cluster.isReady) return onReady();
    await pause(retryMs());
    return connect();
  }

  cluster.on('error', onError);
  const connected = connect();
  return {
    send: (key, args) => cluster.sendCommand(key, false, [...args]),
    listen: (channel, listener) =>
      void connected.then(() => cluster.subscribe(channel, listener)).catch(ignore),
    close() {
      isClosed = true;
      if (cluster.isReady) cluster.destroy();
    },
  };
}

/** Trouble shows in what is sent: it is rejected, or takes too long. */
const ignore = () => undefined;
