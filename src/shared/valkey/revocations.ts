import type { Revocations } from '../revocations.ts';
import { pairsOf } from './hash.ts';
import { script, type Server } from './server.ts';

/** How often the list is read in case news was lost; it is also read when news of a change comes. */
const POLL_MS = 500;

/** A key that is valid again stays on the list as such: one that is missing was lost with the server's memory. */
const NOTE = script(
  `local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SET', KEYS[2], time[1] .. ' ' .. time[2])
return redis.call('PUBLISH', KEYS[3], '')`,
  'allow-oom',
);
/** Returns the version of the list, and the list if the reader knows another version. */
const READ = script(
  `local version = redis.call('GET', KEYS[2]) or ''
if version == ARGV[1] then return {version} end
return {version, redis.call('HGETALL', KEYS[1])}`,
  'no-writes',
);
const REVOKED = '1';
const VALID = '0';

export function revocationsOnServer(options: { server: Server; base: string }): Revocations {
  const { server, base } = options;
  const channel = `${base}told:revoked`;
  const keys = [`${base}revoked`, `${base}revoked:version`, channel];
  /** The list as last read, and its version. */
  let stored = new Map<string, string>();
  let version = 'none';
  /** What the server has not been told yet, e.g. while it is away. */
  const unsent = new Map<string, string>();
  /** What the listener was told last. */
  let reported: ReadonlySet<string> = new Set();
  let listener: (digests: ReadonlySet<string>) => void = () => undefined;
  let syncing: Promise<void> | undefined;
  let mustSyncAgain = false;
  let timer: NodeJS.Timeout | undefined;

  function notifyListener(): void {
    const all = [...new Map([...stored, ...unsent])];
    const digests = new Set(all.filter(([, state]) => state === REVOKED).map(([digest]) => digest));
    if (digests.symmetricDifference(reported).size === 0) return;
    reported = digests;
    listener(digests);
  }

  async function sendUnsent(): Promise<void> {
    for (const [digest, state] of unsent) {
      if ((await server.run(NOTE, keys, [digest, state])) === undefined) return;
      stored.set(digest, state);
      // The key may have changed meanwhile.
      if (unsent.get(digest) === state) unsent.delete(digest);
    }
  }

  async function read(): Promise<void> {
    const reply = await server.run(READ, keys, [version]);
    // While the server is away, what is known holds.
    if (!Array.isArray(reply)) return;
    const [current, list] = reply as [unknown, unknown];
    version = String(current);
    if (!Array.isArray(list)) return;
    const before = stored;
    stored = new Map(pairsOf(list.map(String)));
    for (const [digest, state] of before)
      if (state === REVOKED && !stored.has(digest) && !unsent.has(digest))
        unsent.set(digest, state);
    mustSyncAgain ||= unsent.size > 0;
    notifyListener();
  }

  async function sync(): Promise<void> {
    try {
      do {
        mustSyncAgain = false;
        await sendUnsent();
        await read();
      } while (mustSyncAgain && !server.isAway());
    } finally {
      syncing = undefined;
    }
  }

  function syncSoon(): Promise<void> {
    mustSyncAgain = true;
    return (syncing ??= sync());
  }

  function note(digest: string, state: string): void {
    unsent.set(digest, state);
    notifyListener();
    void syncSoon();
  }

  return {
    add: (digest) => note(digest, REVOKED),
    remove: (digest) => note(digest, VALID),
    watch(onChange) {
      listener = onChange;
      server.listen(channel, () => void syncSoon());
      timer ??= setInterval(() => void syncSoon(), POLL_MS).unref();
      return syncSoon();
    },
    close: () => clearInterval(timer),
  };
}
