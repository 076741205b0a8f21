import type { Revocations } from '../revocations.ts';
import { pairsOf } from './hash.ts';
import { script, type Server } from './server.ts';

/** How often the list is read in case news was lost; it is also read when news of a change comes. */
const LOOK_MS = 500;

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
const GOOD = '0';

export function revocationsOnServer(options: { server: Server; base: string }): Revocations {
  const { server, base } = options;
  const channel = `${base}told:revoked`;
  const keys = [`${base}revoked`, `${base}revoked:version`, channel];
  /** The list as last read, and its version. */
  let stored = new Map<string, string>();
  let version = 'none';
  /** What the server has not been told yet, e.g. while it is away. */
  const untold = new Map<string, string>();
  /** What the listener was told last. */
  let told: ReadonlySet<string> = new Set();
  let listener: (digests: ReadonlySet<string>) => void = () => undefined;
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;
  let timer: NodeJS.Timeout | undefined;

  function tellListener(): void {
    const all = [...new Map([...stored, ...untold])];
    const digests = new Set(all.filter(([, is]) => is === REVOKED).map(([digest]) => digest));
    if (digests.symmetricDifference(told).size === 0) return;
    told = digests;
    listener(digests);
  }

  async function tellServer(): Promise<void> {
    for (const [digest, is] of untold) {
      if ((await server.run(NOTE, keys, [digest, is])) === undefined) return;
      stored.set(digest, is);
      // The key may have changed meanwhile.
      if (untold.get(digest) === is) untold.delete(digest);
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
    for (const [digest, is] of before)
      if (is === REVOKED && !stored.has(digest) && !untold.has(digest)) untold.set(digest, is);
    isAskedAgain ||= untold.size > 0;
    tellListener();
  }

  async function look(): Promise<void> {
    try {
      do {
        isAskedAgain = false;
        await tellServer();
        await read();
      } while (isAskedAgain && !server.isAway());
    } finally {
      looking = undefined;
    }
  }

  function lookSoon(): Promise<void> {
    isAskedAgain = true;
    return (looking ??= look());
  }

  function note(digest: string, is: string): void {
    untold.set(digest, is);
    tellListener();
    void lookSoon();
  }

  return {
    add: (digest) => note(digest, REVOKED),
    remove: (digest) => note(digest, GOOD),
    watch(onChange) {
      listener = onChange;
      server.listen(channel, () => void lookSoon());
      timer ??= setInterval(() => void lookSoon(), LOOK_MS).unref();
      return lookSoon();
    },
    close: () => clearInterval(timer),
  };
}
