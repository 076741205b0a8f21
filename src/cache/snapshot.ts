import type { Clock } from '../time.ts';
import type { Origin } from '../upstream/endpoint.ts';
import type { Operation, Warning } from '../usage/operation.ts';
import { type Held, hit, isFresh, used } from './held.ts';
import { endsWithItsOwner, type Pauses, servesOldData } from './pauses.ts';
import { BYTES_IN_MEMORY, type Shelf } from './store.ts';

/** What a dataset makes of one upstream answer. */
export interface Taken<V> {
  value: V;
  origin: Origin;
  bytes: number;
  warnings: readonly Warning[];
}

/** Whole answers under small keys; narrower questions are answered out of them by the dataset. */
export interface Snapshot<K, V> {
  /** What is here and fresh, at once. */
  read(key: K, operation: Operation): Held<V> | undefined;
  /**
   * What is fresh, else what a refresh brings, else what is old, marked stale. Only one refresh of
   * a key is under way at a time, across operations.
   */
  load(key: K, operation: Operation): Promise<Held<V>>;
  /** Files an answer that came by another way. */
  file(key: K, taken: Taken<V>): Held<V>;
  /** Whether `read` would answer; books nothing. */
  isFresh(key: K): boolean;
  /** What is here, however old. */
  old(key: K): Held<V> | undefined;
}

export interface SnapshotOptions<K, V> {
  name: string;
  shelf: Shelf<Held<V>>;
  pauses: Pauses;
  now: Clock;
  /** How long an answer is fresh, in milliseconds. */
  ttl: number;
  /** Everything the answer depends on. */
  keyOf(key: K): string;
  fetch(key: K, operation: Operation): Promise<Taken<V>>;
}

export function createSnapshot<K, V>(options: SnapshotOptions<K, V>): Snapshot<K, V> {
  const { name, shelf, pauses, now, ttl, keyOf, fetch } = options;
  const flights = new Map<string, Promise<Held<V>>>();

  function fresh(key: K): Held<V> | undefined {
    const held = shelf.get(keyOf(key));
    return held && isFresh(held, now()) ? held : undefined;
  }

  function file(key: K, { value, origin, bytes, warnings }: Taken<V>): Held<V> {
    const id = keyOf(key);
    const expiresAt = origin.retrievedAt + ttl;
    const held = { value, origin, warnings, stale: false, expiresAt, isCurrent: () => false };
    shelf.set(id, held, bytes * BYTES_IN_MEMORY);
    // Only what is here can be sealed.
    held.isCurrent = shelf.seal(id);
    return held;
  }

  async function refresh(key: K, operation: Operation): Promise<Held<V>> {
    const id = keyOf(key);
    const ask = () =>
      pauses.guard(`${name} ${id}`, async () => file(key, await fetch(key, operation)));
    // A dry run plans alone: nobody must wait for requests that are never sent.
    if (operation.estimate) return ask();
    const flight = flights.get(id);
    if (flight) {
      operation.coalesced += 1;
      return flight.catch((error: unknown) => {
        if (endsWithItsOwner(error)) return refresh(key, operation);
        throw error;
      });
    }
    const started = ask().finally(() => flights.delete(id));
    flights.set(id, started);
    return started;
  }

  return {
    file,
    isFresh: (key) => fresh(key) !== undefined,
    old: (key) => shelf.get(keyOf(key)),
    read(key, operation) {
      const held = fresh(key);
      return held && hit(held, operation);
    },
    async load(key, operation) {
      const held = fresh(key);
      if (held) return hit(held, operation);
      const old = shelf.get(keyOf(key));
      try {
        return used(await refresh(key, operation), operation);
      } catch (error) {
        if (!old || !servesOldData(error)) throw error;
        return used({ ...old, stale: true }, operation);
      }
    },
  };
}
