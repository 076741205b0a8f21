import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import { signatureOf } from '../documents/files.ts';
import { watchFiles } from '../documents/watch.ts';
import type { News } from '../shared/news.ts';
import { type Client, readClients } from './file.ts';

/** Who may ask: the clients of CLIENTS_FILE, as it is now. */
export interface Clients {
  /** Whose key has this digest; undefined: nobody's. */
  withDigest(digest: string): Client | undefined;
  /** Calls `listener` once, when the key is nobody's any more: at once, if it is so by now. Returns a function that stops that. */
  whenRevoked(digest: string, listener: () => void): () => void;
  /** Whether pages of this origin may ask for some client. */
  allowsOrigin(origin: string): boolean;
  close(): void;
}

export interface ClientsOptions {
  path: string;
  log: Logger;
  /** How other replicas hear of a key that is revoked here. */
  news?: News | undefined;
  /** How often the file is looked at. A change is taken up at the second look. */
  everyMs?: number;
}

/** A key that is revoked is to be so within a second. */
const LOOK_EVERY_MS = 200;
const REVOKED = 'revoked key';
const LISTED = 'listed key';

/** Throws ConfigError where the file cannot be used as it is. */
export async function openClients(options: ClientsOptions): Promise<Clients> {
  const { path, log, news, everyMs = LOOK_EVERY_MS } = options;
  const signature = await signatureOf([path]);
  const first = await load(path);
  if ('problem' in first) throw new ConfigError(`CLIENTS_FILE: ${first.problem}`);
  let current = first;
  const listeners = createListeners();
  /** Revoked by another replica, and still listed in the file as it is here. */
  const revoked = new Set<string>();

  const withDigest = (digest: string) =>
    revoked.has(digest) ? undefined : current.byDigest.get(digest);

  async function takeUp(): Promise<void> {
    const next = await load(path);
    if ('problem' in next) return log.error(`CLIENTS_FILE: not taken up: ${next.problem}`);
    const gone = missing(current, next);
    const added = missing(next, current);
    current = next;
    for (const digest of revoked) if (!next.byDigest.has(digest)) revoked.delete(digest);
    for (const digest of gone) news?.tell(REVOKED, digest);
    for (const digest of added) news?.tell(LISTED, digest);
    listeners.call(gone);
    log.info({ clients: next.clients.length }, 'CLIENTS_FILE: taken up');
  }

  news?.listen(REVOKED, (digest) => {
    if (!current.byDigest.has(digest)) return;
    revoked.add(digest);
    listeners.call([digest]);
  });
  // A client that was removed by mistake and is back: the file as it is here may have had it all the time.
  news?.listen(LISTED, (digest) => void revoked.delete(digest));
  const watch = watchFiles({ paths: [path], signature, everyMs, onChange: takeUp });
  return {
    withDigest,
    whenRevoked(digest, listener) {
      if (withDigest(digest)) return listeners.add(digest, listener);
      listener();
      return () => undefined;
    },
    allowsOrigin: (origin) => current.origins.has(origin) || current.origins.has('*'),
    close: watch.stop,
  };
}

interface Loaded {
  clients: readonly Client[];
  byDigest: ReadonlyMap<string, Client>;
  /** Of all clients together. */
  origins: ReadonlySet<string>;
}

/** Digests of `before` that `after` does not have. */
function missing(before: Loaded, after: Loaded): string[] {
  return [...before.byDigest.keys()].filter((digest) => !after.byDigest.has(digest));
}

async function load(path: string): Promise<Loaded | { problem: string }> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => ({ problem: String(error) }));
  if (typeof text !== 'string') return text;
  const { clients, problems } = readClients(text);
  const [problem, ...others] = problems;
  if (problem)
    return { problem: others.length > 0 ? `${problem} (and ${others.length} more)` : problem };
  const byDigest = new Map(clients.flatMap((one) => one.keys.map((digest) => [digest, one])));
  return { clients, byDigest, origins: new Set(clients.flatMap(({ origins }) => origins ?? [])) };
}

/** Those who wait for keys to be revoked. */
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
