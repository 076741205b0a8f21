import { script, type Server } from './server.ts';

/**
 * Keys that are revoked, by their digests: one list for all replicas, for those as well that are cut off from the server
 * when a key is revoked, or start later with an old file.
 */
export interface Revocations {
  add(digest: string): void;
  /** It is good again. */
  remove(digest: string): void;
  /** Calls `listener` with all of them, whenever they are others than before; resolves once they have been read. */
  watch(listener: (digests: ReadonlySet<string>) => void): Promise<void>;
  close(): void;
}

/** The list is read as soon as it changes, and so often in case that the news of it gets lost. */
const LOOK_MS = 500;
/** Longer than anybody keeps an old file. */
const KEPT_SECONDS = 400 * 86_400;

const REVOKE = script(
  `local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
return redis.call('PUBLISH', KEYS[2], '')`,
  'allow-oom',
);
const RESTORE = script(
  `redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('PUBLISH', KEYS[2], '')`,
  'allow-oom',
);
const READ = script(`return redis.call('ZRANGE', KEYS[1], 0, -1)`, 'no-writes');

export function revocationsOnServer({
  server,
  base,
}: {
  server: Server;
  base: string;
}): Revocations {
  const channel = `${base}told:revoked`;
  const keys = [`${base}revoked`, channel];
  /** What the server has not been told yet, as when it is away: whether a digest is revoked. */
  const untold = new Map<string, boolean>();
  let stored: ReadonlySet<string> = new Set();
  let known: ReadonlySet<string> = new Set();
  let listener: (digests: ReadonlySet<string>) => void = () => undefined;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function show(): void {
    const digests = new Set(stored);
    for (const [digest, isRevoked] of untold)
      if (isRevoked) digests.add(digest);
      else digests.delete(digest);
    if (digests.symmetricDifference(known).size === 0) return;
    known = digests;
    listener(digests);
  }

  async function tellAll(): Promise<void> {
    for (const [digest, isRevoked] of untold) {
      const args = isRevoked ? [digest, KEPT_SECONDS] : [digest];
      const reply = await server.run(isRevoked ? REVOKE : RESTORE, keys, args);
      if (reply === undefined) return;
      // It may have changed meanwhile.
      if (untold.get(digest) === isRevoked) untold.delete(digest);
    }
  }

  async function look(): Promise<void> {
    await tellAll();
    const reply = await server.run(READ, keys, []);
    // While the server is away what is known holds.
    if (!Array.isArray(reply)) return;
    stored = new Set(reply.map(String));
    show();
  }

  const lookOnce = () => (looking ??= look().finally(() => (looking = undefined)));

  function note(digest: string, isRevoked: boolean): void {
    untold.set(digest, isRevoked);
    show();
    void lookOnce();
  }

  return {
    add: (digest) => note(digest, true),
    remove: (digest) => note(digest, false),
    watch(onChange) {
      listener = onChange;
      server.listen(channel, () => void lookOnce());
      timer ??= setInterval(() => void lookOnce(), LOOK_MS).unref();
      return lookOnce();
    },
    close: () => clearInterval(timer),
  };
}
