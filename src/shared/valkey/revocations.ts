import type { Clock } from '../../time.ts';
import type { Revocations } from '../revocations.ts';
import { pairsOf } from './hash.ts';
import { script, type Server } from './server.ts';

/** How often the list is read in case news was lost; it is also read when news of a change comes. */
const POLL_MS = 500;

/**
 * KEYS: states and times by digest, version, channel. ARGV: digest, state, time. Of two changes of a key, the later one
 * counts, whichever comes first; of two at the same time, that which revokes it. A key that is valid again stays on the
 * list as such: one that is missing was lost with the server's memory. A state without a time is from the version before
 * this one, and counts as the oldest.
 */
const NOTE = script(
  `local state = redis.call('HGET', KEYS[1], ARGV[1])
local since = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0)
local at = tonumber(ARGV[3])
if state and (at < since or (at == since and state >= ARGV[2])) then return 0 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('SET', KEYS[3], time[1] .. ' ' .. time[2])
return redis.call('PUBLISH', KEYS[4], '')`,
  'allow-oom',
);
/** Returns the version of the list, and the list (states and times) if the reader knows another version. */
const READ = script(
  `local version = redis.call('GET', KEYS[3]) or ''
if version == ARGV[1] then return {version} end
return {version, redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])}`,
  'no-writes',
);
/** If a key was revoked and restored at the same time, the greater text counts. */
const REVOKED = '1';
const VALID = '0';

interface Entry {
  state: string;
  /** When the key was revoked or restored, by the clock of the process that read so in its file. */
  at: number;
}

interface RevocationsOptions {
  server: Server;
  base: string;
  now: Clock;
}

export function revocationsOnServer({ server, base, now }: RevocationsOptions): Revocations {
  const channel = `${base}told:revoked`;
  const keys = [`${base}revoked`, `${base}revoked:times`, `${base}revoked:version`, channel];
  /** The last change of each key, as far as this process knows, by digest. */
  const known = new Map<string, Entry>();
  /** The version of the list as last read. */
  let version = 'none';
  /** Digests of the keys of whose last change the server has not been told yet, e.g. while it is away. */
  const unsent = new Set<string>();
  /** What the listener was told last. */
  let reported: ReadonlySet<string> = new Set();
  let listener: (digests: ReadonlySet<string>) => void = () => undefined;
  let syncing: Promise<void> | undefined;
  let mustSyncAgain = false;
  let timer: NodeJS.Timeout | undefined;

  function notifyListener(): void {
    const revoked = [...known].filter(([, { state }]) => state === REVOKED);
    const digests = new Set(revoked.map(([digest]) => digest));
    if (digests.symmetricDifference(reported).size === 0) return;
    reported = digests;
    listener(digests);
  }

  async function sendUnsent(): Promise<void> {
    for (const digest of unsent) {
      const entry = known.get(digest)!;
      if ((await server.run(NOTE, keys, [digest, entry.state, entry.at])) === undefined) return;
      // The key may have changed meanwhile.
      if (known.get(digest) === entry) unsent.delete(digest);
    }
  }

  async function read(): Promise<void> {
    const reply = await server.run(READ, keys, [version]);
    // While the server is away, what is known holds.
    if (!Array.isArray(reply)) return;
    const [current, states, times] = reply as [unknown, unknown, unknown];
    version = String(current);
    if (!Array.isArray(states) || !Array.isArray(times)) return;
    const stored = entriesOf(states.map(String), times.map(String));
    for (const [digest, entry] of stored)
      if (isLater(entry, known.get(digest))) known.set(digest, entry);
    // Its memory was lost, or is an older one.
    for (const [digest, entry] of known) if (isLater(entry, stored.get(digest))) unsent.add(digest);
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
    // It is later than the change that it follows, even if the clock of another process is ahead.
    const at = Math.max(now(), (known.get(digest)?.at ?? 0) + 1);
    known.set(digest, { state, at });
    unsent.add(digest);
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

function entriesOf(states: readonly string[], times: readonly string[]): Map<string, Entry> {
  const timeOf = new Map(pairsOf(times));
  return new Map(
    pairsOf(states).map(([digest, state]) => [
      digest,
      { state, at: Number(timeOf.get(digest) ?? 0) },
    ]),
  );
}

/** Whether `one` counts rather than `other`: as in NOTE. */
const isLater = (one: Entry, other: Entry | undefined): boolean =>
  !other || one.at > other.at || (one.at === other.at && one.state > other.state);
