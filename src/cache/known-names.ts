import { createBoundedMap } from '../bounded-map.ts';
import { type Aging, firstToExpire, type Lifetime } from '../spending/lifetimes.ts';
import type { Operation } from '../usage/operation.ts';
import { MEMORY_FACTOR, type Cached, type Fetched, isFresh } from './cached.ts';
import type { Namespace } from './store.ts';

/** What a keyed set remembers: the answers about each name, and which names had a record. */

/** What is known about a name; the value is null if the upstream has no such record. */
export type Known<R> = Cached<R | null>;

/**
 * `version`: which answer it came in; `bytes`: its share of that answer; `isDoubtful`: whether that had no record at all,
 * although there was one of this name before, or several names were asked for.
 */
type Remembered<R> = Known<R> & { version: number; bytes: number; isDoubtful: boolean };

/** How soon names that an empty answer lacked are asked for again at the latest, in milliseconds. */
const DOUBTFUL_TTL_MS = 60_000;

/** The names of one key, the most recently asked for at the end. */
export type KnownNames<R> = ReadonlyMap<string, Remembered<R>>;

interface KnownNamesOptions<K, R> {
  namespace: Namespace<KnownNames<R>>;
  aging: Aging;
  requests: { endpoint: { name: string }; keyOf(key: K): string };
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  maxNames: number;
  mayShare(name: string): boolean;
}

interface NameMemory<K, R> {
  of(key: K): KnownNames<R>;
  fresh(key: K, name: string, operation: Operation): Known<R> | undefined;
  /** The lifetime of the name that expires first, if all of them are cached, however old; otherwise undefined. */
  old(key: K, names: ReadonlySet<string>): Lifetime | undefined;
  /** Caches an answer about `names` that came at `at`, whether or not it has a record of each. */
  file(
    key: K,
    names: readonly string[],
    fetched: Fetched<ReadonlyMap<string, R>>,
    at: number,
  ): KnownNames<R>;
  /**
   * Names to ask for along with others, the most useful last: `likely` ones, and those found before under other keys or
   * (after these) under this one; of all of them, those that are no longer fresh come after the others.
   */
  useful(key: K, likely: readonly string[], operation: Operation): string[];
  /** Whether the last answer about each of the names shows that there is no record of it, however old that answer is. */
  areMissing(key: K, names: ReadonlySet<string>): boolean;
  /** Notes that a request with these names was refused: they count as not found until they are found again. */
  noteRefused(names: ReadonlySet<string>): void;
}

const BYTES_PER_NAME = 100;

export function createNameMemory<K, R>(options: KnownNamesOptions<K, R>): NameMemory<K, R> {
  const { namespace, aging, ttl, mayShare } = options;
  const { keyOf, endpoint } = options.requests;
  const dataset = endpoint.name;
  const maxRemembered = 2 * options.maxNames;
  /** The most recently found at the end. Names found under one key are likely to be asked for under the others, too. */
  const found = new Set<string>();
  const refused = createBoundedMap<string, true>(maxRemembered);
  let versions = 0;
  const of = (key: K): KnownNames<R> => namespace.get(keyOf(key)) ?? new Map();

  function fresh(key: K, name: string, { spender }: Operation): Known<R> | undefined {
    const known = of(key).get(name);
    return known && isFresh(known, spender.priority, aging) ? known : undefined;
  }

  /** Created outside of `file`, so that the check does not keep the answer in memory. */
  function currentCheck(id: string, name: string, version: number): () => boolean {
    return () => namespace.get(id)?.get(name)?.version === version;
  }

  function noteFound(name: string, isFound: boolean): void {
    found.delete(name);
    if (isFound) refused.delete(name);
    if (isFound && mayShare(name)) found.add(name);
    const [oldest] = found;
    if (found.size > maxRemembered && oldest !== undefined) found.delete(oldest);
  }

  /** If there are too many, those without a record are forgotten first. */
  function withBrought(known: KnownNames<R>, brought: KnownNames<R>): KnownNames<R> {
    const kept = [...known].filter(([name]) => !brought.has(name));
    const missing = kept.filter(([, { value }]) => value === null);
    const foundBefore = kept.filter(([, { value }]) => value !== null);
    return new Map([...missing, ...foundBefore, ...brought].slice(-maxRemembered));
  }

  return {
    of,
    fresh,
    old(key, names) {
      const known = [...names].map((name) => of(key).get(name));
      return known.every((one) => one !== undefined) ? firstToExpire(known) : undefined;
    },
    file(key, names, { value: records, origin, warnings, bytes }, at) {
      const id = keyOf(key);
      versions += 1;
      const common = { dataset, origin, warnings, version: versions, stale: false };
      const bytesPerRecord = bytes / Math.max(1, records.size);
      const expiresAt = at + ttl;
      const brought = new Map<string, Remembered<R>>();
      for (const name of names) {
        const known = of(key).get(name);
        if (known && known.expiresAt > expiresAt) continue;
        const value = records.get(name) ?? null;
        const size = BYTES_PER_NAME + (value === null ? 0 : bytesPerRecord);
        const isCurrent = currentCheck(id, name, versions);
        const wasThere = known !== undefined && (known.value !== null || known.isDoubtful);
        const isDoubtful = records.size === 0 && (names.length > 1 || wasThere);
        const lifetime = { at, expiresAt, aging, isCurrent };
        const brings = { ...common, ...lifetime, value, bytes: size, isDoubtful };
        const isUnsure = isDoubtful && names.length > 1;
        const filed = isUnsure ? outlasting(known, brings) : brings;
        brought.set(name, filed);
        noteFound(name, filed.value !== null);
      }
      const all = withBrought(of(key), brought);
      const size = all.values().reduce((sum, one) => sum + one.bytes, 0);
      namespace.set(id, all, size * MEMORY_FACTOR);
      return brought;
    },
    useful(key, likely, operation) {
      const own = new Set([...of(key).keys()].filter((name) => found.has(name)));
      const isNew = (name: string) => !found.has(name) && !refused.has(name) && mayShare(name);
      const all = [...new Set(likely.filter(isNew)), ...found.difference(own), ...own];
      const isDue = (name: string) => fresh(key, name, operation) === undefined;
      return [...all.filter((name) => !isDue(name)), ...all.filter(isDue)];
    },
    areMissing: (key, names) =>
      names.values().every((name) => {
        const known = of(key).get(name);
        return known?.value === null && !known.isDoubtful;
      }),
    noteRefused(names) {
      for (const name of names) {
        found.delete(name);
        refused.set(name, true);
      }
    },
  };
}

/** Several names may be missing only for a moment: what was known outlasts one such answer, but no repeat of it. */
function outlasting<R>(known: Remembered<R> | undefined, brings: Remembered<R>): Remembered<R> {
  if (!known || known.value === null || known.stale) return brings;
  const { value, bytes, origin } = known;
  const expiresAt = Math.min(brings.expiresAt, brings.at + DOUBTFUL_TTL_MS);
  return { ...brings, value, bytes, origin, expiresAt, stale: true };
}
