import { type Cached, serveStale } from '../../cache/cached.ts';
import type { Maybe } from '../../maybe.ts';
import { isTimeout } from '../../upstream/errors.ts';
import type { Operation } from '../../usage/operation.ts';

/** What is answered with where what was asked for does not come. */

export const isLater = (a: Cached<unknown>, b: Cached<unknown>): boolean =>
  a.origin.retrievedAt > b.origin.retrievedAt;

/** The value that came last stands first. */
export const latestFirst = <T>(all: readonly Cached<T>[]): Cached<T>[] =>
  all.toSorted((a, b) => b.origin.retrievedAt - a.origin.retrievedAt);

/**
 * What `grown` brings. Where that was asked for so much that it did not come in time, `instead` is asked for; also where
 * old data were served for it, unless as much would be asked for now (`stillFits`): then its size was not what failed.
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

/** What is loaded; where that fails, or is old data, what came last: it may be in another list. */
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
