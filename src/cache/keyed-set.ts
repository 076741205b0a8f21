import type { Clock } from '../time.ts';
import { noteJoined, type Operation } from '../usage/operation.ts';
import {
  asError,
  BYTES_IN_MEMORY,
  type Fetched,
  type Cached,
  isFresh,
  serve,
  serveHit,
  serveStale,
} from './cached.ts';
import {
  addToWaiting,
  createInFlight,
  failedForOther,
  type InFlight,
  type InFlightRequests,
} from './single-flight.ts';
import type { Namespace } from './store.ts';

/** What is known of a name: null where the upstream has no such record. */
export type Known<R> = Cached<R | null>;

/** What is known of the names of one key, the ones asked for last at the end. */
type KnownNames<R> = ReadonlyMap<string, Known<R>>;

/**
 * Records asked for by name, several in one request, under a key each. A request costs the same
 * however many it names, so it also names those asked for before, as far as there is room. A name
 * that is missing in the answer is remembered as missing.
 */
export interface KeyedSet<K, R> {
  keyOf(key: K): string;
  /** What is fresh, at once. */
  read(key: K, name: string, operation: Operation): Known<R> | undefined;
  /** One result a name. */
  load(key: K, names: readonly string[], operation: Operation): Promise<(Known<R> | Error)[]>;
  /** Whether the last answer about the name had a record, however old it is; counts nothing. */
  has(key: K, name: string): boolean;
}

export interface KeyedSetOptions<K, R> {
  namespace: Namespace<KnownNames<R>>;
  monotonic: Clock;
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  /** How many names one request takes. */
  maxNames: number;
  /** Everything but the name that a record depends on. */
  keyOf(key: K): string;
  /** Whether a name may share a request: not if the upstream may refuse all of them because of it. */
  mayShare(name: string): boolean;
  /** One upstream request; `names` is to be called when it leaves: until then there may be more. */
  fetch(
    key: K,
    names: () => readonly string[],
    operation: Operation,
  ): Promise<Fetched<ReadonlyMap<string, R>>>;
}

export function createKeyedSet<K, R>(options: KeyedSetOptions<K, R>): KeyedSet<K, R> {
  const { namespace, monotonic, ttl, maxNames, keyOf, mayShare, fetch } = options;
  const inFlight = createInFlight<readonly string[], KnownNames<R>>(monotonic);
  const maxRemembered = 2 * maxNames;
  /** Names that had a record under some key: likely to be asked for under the others, too. */
  const found = new Set<string>();
  const knownOf = (key: K): KnownNames<R> => namespace.get(keyOf(key)) ?? new Map();

  function fresh(key: K, name: string): Known<R> | undefined {
    const known = knownOf(key).get(name);
    return known && isFresh(known, monotonic()) ? known : undefined;
  }

  /** Caches an answer about `names`, whether or not it has a record of each. */
  function file(key: K, names: readonly string[], fetched: Fetched<ReadonlyMap<string, R>>) {
    const { value: records, origin, warnings, bytes } = fetched;
    const expiresAt = monotonic() + ttl;
    const common = { origin, warnings, expiresAt, stale: false, isCurrent: () => false };
    const brought = new Map(
      names.map((name): [string, Known<R>] => [
        name,
        { ...common, value: records.get(name) ?? null },
      ]),
    );
    if (found.size > maxRemembered) found.clear();
    for (const name of records.keys()) found.add(name);
    const earlier = [...knownOf(key)].filter(([name]) => !brought.has(name));
    const all = new Map([...earlier, ...brought].slice(-maxRemembered));
    namespace.set(keyOf(key), all, (bytes + all.size * BYTES_PER_NAME) * BYTES_IN_MEMORY);
    // The version is known once the names are stored.
    const isCurrent = namespace.versionCheck(keyOf(key));
    for (const known of brought.values()) known.isCurrent = isCurrent;
    return brought;
  }

  /** The names with those asked for before, under this key or others, as far as there is room. */
  function withEarlier(key: K, names: readonly string[], requests: NameRequests<R>) {
    if (!names.every(mayShare)) return names;
    const asked = new Set(requests.of(keyOf(key)).flatMap(({ wanted }) => wanted));
    const own = new Set(knownOf(key).keys());
    const known = [...found.difference(own), ...own];
    const others = known.filter((name) => mayShare(name) && !asked.has(name));
    const room = maxNames - names.length;
    return [...names, ...(room > 0 ? others.slice(-room) : [])];
  }

  /** The request that brings the name: one in flight, one that can still be added to, or a new one. */
  function requestFor(
    key: K,
    name: string,
    requests: NameRequests<R>,
    operation: Operation,
  ): NameRequest<R> {
    const id = keyOf(key);
    const same = requests.of(id).find(({ wanted }) => wanted.includes(name));
    if (same) return same;
    const add = (wanted: readonly string[]) =>
      wanted.length < maxNames && [...wanted, name].every(mayShare) ? [...wanted, name] : undefined;
    const waiting = addToWaiting(requests.of(id), add);
    if (waiting) return waiting;
    return requests.start(id, [name], async (dispatch) => {
      const names = () => dispatch((wanted) => withEarlier(key, wanted, requests));
      const fetched = await fetch(key, names, operation);
      return file(key, names(), fetched);
    });
  }

  /** Waits for the request that brings the name. */
  async function waitFor(
    key: K,
    name: string,
    request: NameRequest<R>,
    operation: Operation,
  ): Promise<Known<R>> {
    const old = knownOf(key).get(name);
    try {
      const known = (await request.result).get(name);
      if (!known) throw new Error(`${name} was not asked for`);
      return serve(known, operation);
    } catch (error) {
      if (!failedForOther(request, operation, error)) return serveStale(old, error, operation);
      return loadOne(key, name, inFlight(operation), operation);
    }
  }

  async function loadOne(
    key: K,
    name: string,
    requests: NameRequests<R>,
    operation: Operation,
  ): Promise<Known<R>> {
    const known = fresh(key, name);
    if (known) return serveHit(known, operation);
    const request = requestFor(key, name, requests, operation);
    noteJoined(operation, [request]);
    return waitFor(key, name, request, operation);
  }

  return {
    keyOf,
    has: (key, name) => (knownOf(key).get(name)?.value ?? null) !== null,
    read(key, name, operation) {
      const known = fresh(key, name);
      return known && serveHit(known, operation);
    },
    load(key, names, operation) {
      const requests = inFlight(operation);
      return Promise.all(
        names.map((name) => loadOne(key, name, requests, operation).catch(asError)),
      );
    },
  };
}

const BYTES_PER_NAME = 100;

type NameRequest<R> = InFlight<readonly string[], KnownNames<R>>;
type NameRequests<R> = InFlightRequests<readonly string[], KnownNames<R>>;
