import { type Cached, isLater, serveStale } from '../../cache/cached.ts';
import type { Maybe } from '../../maybe.ts';
import { isTimeout } from '../../upstream/errors.ts';
import type { Operation } from '../../usage/operation.ts';

/** What a question is answered with if the requested data does not arrive. */

/** Sorts values by when they came, the latest first. */
export const latestFirst = <T>(all: readonly Cached<T>[]): Cached<T>[] =>
  all.toSorted((a, b) => b.origin.retrievedAt - a.origin.retrievedAt);

/**
 * Returns what `grown` loads, which asks for more than is needed. If it times out, loads `instead`; also if stale data
 * was served for it, unless as much would be requested again now (`stillFits`): then its size was not the cause.
 */
export function orInstead<T>(
  grown: Maybe<Cached<T>>,
  instead: () => Maybe<Cached<T>>,
  stillFits: () => boolean,
): Maybe<Cached<T>> {
  if (!(grown instanceof Promise)) return grown;
  return grown.then(
    (found) => (!found.stale || stillFits() ? found : instead()),
    (error: unknown) => {
      if (isTimeout(error)) return instead();
      throw error;
    },
  );
}

/** Returns what is loaded; if that fails, or is stale, the latest of the old values, which may be from another list. */
export function orOld<T>(
  loading: Maybe<Cached<T>>,
  old: () => readonly Cached<T>[],
  operation: Operation,
): Maybe<Cached<T>> {
  if (!(loading instanceof Promise)) return loading;
  return loading.then(
    (found) => {
      const [latest] = found.stale ? old() : [];
      return latest && isLater(latest, found) ? { ...latest, stale: true } : found;
    },
    (error: unknown) => serveStale(old()[0], error, operation),
  );
}
