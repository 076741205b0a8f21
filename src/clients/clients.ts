import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import { readTextFile } from '../config/text-file.ts';
import { signatureOf } from '../documents/files.ts';
import { watchFiles } from '../documents/file-watch.ts';
import type { Revocations } from '../shared/revocations.ts';
import { type Client, inOneLine, readClients } from './file.ts';

/** The clients that may send operations: those in CLIENTS_FILE, as it is now. */
export interface Clients {
  /** Returns the client whose key has this digest; undefined if there is none. */
  withDigest(digest: string): Client | undefined;
  /** Calls `listener` once, when the key is revoked; at once if it already is. Returns a function that cancels this. */
  whenRevoked(digest: string, listener: () => void): () => void;
  /** Whether pages of this origin may send operations with the key of at least one client. */
  allowsOrigin(origin: string): boolean;
  close(): void;
}

interface ClientsOptions {
  path: string;
  log: Logger;
  /** What other replicas have revoked, and how they hear of what is revoked here. */
  revocations?: Revocations | undefined;
  /** How often the file is checked. A change takes effect at the second check. */
  everyMs?: number;
}

/** Logged with the client's name, never with a key. */
const STILL_LISTED =
  'CLIENTS_FILE: a key that was revoked, here or by another replica, is still listed: it is refused (docs/budgets.md says how to restore it)';
/** Time by which a changed file has been reloaded, in milliseconds. */
const RELOADED_WITHIN_MS = 1500;
/** How often the file is checked: a revoked key must be refused within a second. */
const CHECK_EVERY_MS = 200;

/** Reads the file and keeps watching it. Throws ConfigError if it cannot be used as it is. */
export async function openClients(options: ClientsOptions): Promise<Clients> {
  const { path, log, revocations, everyMs = CHECK_EVERY_MS } = options;
  const signature = await signatureOf([path]);
  const first = await load(path);
  if ('problem' in first) throw new ConfigError(`CLIENTS_FILE: ${first.problem}`);
  warnIfEmpty(first, log);
  let current = first;
  const listeners = createListeners();
  /** Digests of keys that any replica has revoked: some may still be listed in the file here. */
  let revoked: ReadonlySet<string> = new Set();

  const withDigest = (digest: string) =>
    revoked.has(digest) ? undefined : current.byDigest.get(digest);

  async function reload(isRetry: boolean): Promise<boolean> {
    const next = await load(path);
    if ('problem' in next) {
      if (!isRetry || next.isRead) log.error(`CLIENTS_FILE: not reloaded: ${next.problem}`);
      return next.isRead;
    }
    const removed = missing(current, next);
    const added = missing(next, current);
    current = next;
    for (const digest of removed) revocations?.add(digest);
    // A key that was removed by mistake has been put back.
    for (const digest of added) if (revoked.has(digest)) revocations?.remove(digest);
    listeners.call(removed);
    log.info({ clients: next.clients.length }, 'CLIENTS_FILE: reloaded');
    warnIfEmpty(next, log);
    return true;
  }

  function warnOfStillListed(digests: readonly string[]): void {
    for (const digest of digests) {
      const client = revoked.has(digest) ? current.byDigest.get(digest) : undefined;
      if (client) log.warn({ client: client.name }, STILL_LISTED);
    }
  }

  await revocations?.watch((digests) => {
    const added = [...digests.difference(revoked)];
    revoked = digests;
    listeners.call(added);
    // If replicas share one file, it has changed here, too: warn only of keys that are still listed once it is read.
    setTimeout(warnOfStillListed, RELOADED_WITHIN_MS, added).unref();
  });
  const close = watchFiles({ paths: [path], signature, everyMs, onChange: reload });
  return {
    withDigest,
    whenRevoked(digest, listener) {
      if (withDigest(digest)) return listeners.add(digest, listener);
      listener();
      return () => undefined;
    },
    allowsOrigin: (origin) => current.origins.has(origin) || current.origins.has('*'),
    close,
  };
}

interface Loaded {
  clients: readonly Client[];
  byDigest: ReadonlyMap<string, Client>;
  /** The origins of all clients together. */
  origins: ReadonlySet<string>;
}

function warnIfEmpty({ clients }: Loaded, log: Logger): void {
  if (clients.length === 0) log.warn('CLIENTS_FILE: lists no clients: every operation is refused');
}

/** Returns the digests in `before` that are not in `after`. */
function missing(before: Loaded, after: Loaded): string[] {
  return [...before.byDigest.keys()].filter((digest) => !after.byDigest.has(digest));
}

interface NotLoaded {
  problem: string;
  /** Whether the file was read; if not, it may be readable in a moment, e.g. once a file descriptor is free. */
  isRead: boolean;
}

async function load(path: string): Promise<Loaded | NotLoaded> {
  const text = await readTextFile(path).catch((error: Error) => ({
    problem: `cannot be read: ${error.message}`,
  }));
  if (typeof text !== 'string') return { ...text, isRead: false };
  const { clients, problems } = readClients(text);
  const problem = inOneLine(problems);
  if (problem !== undefined) return { problem, isRead: true };
  const byDigest = new Map(clients.flatMap((one) => one.keys.map((digest) => [digest, one])));
  return { clients, byDigest, origins: new Set(clients.flatMap(({ origins }) => origins ?? [])) };
}

/** Listeners that wait for keys to be revoked. */
function createListeners() {
  const waiting = new Map<string, Set<() => void>>();
  return {
    add(digest: string, listener: () => void): () => void {
      const ofKey = waiting.get(digest) ?? new Set();
      waiting.set(digest, ofKey.add(listener));
      return () => {
        ofKey.delete(listener);
        if (ofKey.size === 0 && waiting.get(digest) === ofKey) waiting.delete(digest);
      };
    },
    call(digests: readonly string[]): void {
      for (const digest of digests) {
        const ofKey = waiting.get(digest) ?? [];
        waiting.delete(digest);
        for (const listener of ofKey) listener();
      }
    },
  };
}
