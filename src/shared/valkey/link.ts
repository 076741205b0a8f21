import { ClientClosedError, ClientOfflineError } from '@redis/client';
import { errorCode } from '../../maybe.ts';
import { openCluster } from './cluster.ts';
import type { Address, Connection } from './connection.ts';
import { openSingle } from './single.ts';

/** The connection to a Valkey or Redis server, or to a cluster of them: which it is shows in the replies. */
export interface Link extends Omit<Connection, 'masters'> {
  /** Replaces a connection that brings no replies with a new one. */
  renew(): void;
}

/** `url`: one server, or several nodes of a cluster, separated by commas. */
export function openLink(url: string, onReady: () => void): Link {
  const urls = url.split(',');
  const listeners: Parameters<Connection['listen']>[] = [];
  let isCluster = urls.length > 1;
  let lastFailure: string | undefined;
  const events = {
    onReady,
    onError: (error: unknown) => void (lastFailure = reasonOf(error)),
    onCluster: becomeCluster,
  };
  /** Nodes of the cluster as known last: those of `url` may be gone for good. */
  let known: readonly Address[] = [];
  const open = () => (isCluster ? openCluster(urls, known, events) : openSingle(url, events));
  let current = open();

  function renew(): void {
    const found = current.masters();
    if (found.length > 0) known = found;
    current.close();
    current = open();
    for (const one of listeners) current.listen(...one);
  }

  /** Connects to the cluster at once: the known node leads to the others, and may be gone when they are needed. */
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
        throw isUnconnected(error) ? noConnection(lastFailure) : error;
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

const noConnection = (failure: string | undefined) =>
  new Error(failure === undefined ? 'there is no connection yet' : `no connection: ${failure}`);

const isUnconnected = (error: unknown) =>
  error instanceof ClientOfflineError || error instanceof ClientClosedError;

/**
 * Returns why a connection fails, e.g. ECONNREFUSED or WRONGPASS. The text after that word may contain an address; only
 * the texts of ERR and NOPERM, which contain none, are needed to know what is wrong.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (/^(ERR|NOPERM) /.test(error.message)) return error.message;
  return errorCode(error) ?? /^[A-Z]+(?= )/.exec(error.message)?.[0] ?? error.message;
}
