import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../bounded-map.ts';
import {
  allowsStale,
  type Cached,
  CutShort,
  isLater,
  isOverBudget,
  serve,
} from '../cache/cached.ts';
import type { DayRange } from '../cache/day-range-options.ts';
import { daysAskedBy } from '../cache/late-requests.ts';
import { asError, type Maybe, whenReady } from '../maybe.ts';
import { gaps, hullOf, lengthOf } from '../spans.ts';
import type { Span } from '../time.ts';
import { isLateBody, TooLong } from '../upstream/errors.ts';
import type { Context, Gateway } from './context.ts';

/**
 * Day ranges whose answers do not come in time. All records of some days are requested in one answer, since every filter
 * can be applied to it without a further unit. If it is too large for the line, the upstream is asked to filter.
 */

/** How long it is remembered that an answer did not come in time, in milliseconds: the line may be faster by then. */
const REMEMBERED_MS = 3_600_000;
/** Maximum number of keys for which that is remembered. */
const MAX_KEYS = 1000;
/** Which part of a late request is presumed to come in time if too little of it came to tell. */
const PRESUMED_SHARE = 0.5;
/** Which part of the days that would just come in time is expected to do so: lines are not steady. */
const MARGIN = 0.8;

interface Question<K, T> {
  key: K;
  span: Span;
  /** Loads all records of the days. */
  loadAll(): Maybe<T>;
  /** All records of the days, however old they are; undefined if those of a day are not cached. */
  old(): T | undefined;
  /** How the upstream filters them; undefined if it can apply none of the question's filters. */
  filtered(): Filtered<T> | undefined;
}

interface Filtered<T> {
  isFresh(): boolean;
  load(): Maybe<T>;
  /** The filtered records, however old they are; undefined if those of a day are not cached. */
  old(): Maybe<T | undefined>;
}

/** What a question is answered with. `failure`: why old records are served. */
type Found = Cached<unknown> & { failure?: Error | undefined };

interface Late {
  /** The upstream filters ranges of which at least so many days are missing. */
  days: number;
  /** How many days the late request asked for. */
  lateDays: number;
  until: number;
}

/**
 * Returns a function that loads some days of a dataset, and asks the upstream to filter them if the answer without
 * filters does not come in time. It rejects as `loadAll` does if that helps nothing.
 */
export function defineLateRanges<K>(byDay: { cache(gateway: Gateway): DayRange<K, unknown> }) {
  const lateOf = createContextCache((_gateway: Gateway) =>
    createBoundedMap<string, Late>(MAX_KEYS),
  );

  /** How many days a request for all that is missing would cover. */
  function missingDays({ key, span }: Question<K, unknown>, { gateway, operation }: Context) {
    const missing = hullOf(gaps(byDay.cache(gateway).coverageOf(key, operation).fresh, span));
    return missing ? lengthOf(missing) : 0;
  }

  const idOf = ({ key }: Question<K, unknown>, gateway: Gateway) => byDay.cache(gateway).keyOf(key);

  /** What is known to be late of a question's key; undefined if nothing is. */
  function knownLate(question: Question<K, unknown>, gateway: Gateway): Late | undefined {
    const known = lateOf(gateway).get(idOf(question, gateway));
    return known && gateway.monotonic() < known.until ? known : undefined;
  }

  /** Notes that a request was late, which may have asked for more than the missing days of the question. */
  function noteLate(
    question: Question<K, unknown>,
    missing: number,
    failure: Error,
    { gateway }: Context,
  ): void {
    const lateDays = daysAskedBy(failure) ?? missing;
    const share = (failure instanceof TooLong ? failure.share : undefined) ?? PRESUMED_SHARE;
    const days = Math.max(1, Math.floor(lateDays * Math.min(1, share) * MARGIN));
    const known = knownLate(question, gateway);
    if (known && known.days <= days) return;
    const until = gateway.monotonic() + REMEMBERED_MS;
    lateOf(gateway).set(idOf(question, gateway), { days, lateDays, until });
  }

  function noteInTime(question: Question<K, unknown>, days: number, { gateway }: Context): void {
    const late = lateOf(gateway);
    const id = idOf(question, gateway);
    const known = late.get(id);
    if (!known || days < known.days) return;
    if (days >= known.lateDays) late.delete(id);
    else late.set(id, { ...known, days: days + 1 });
  }

  /** Returns the later of what was found and other old records; throws if neither is there. */
  async function latestOf<T extends Found>(
    found: T | Error,
    other: () => Maybe<T | undefined>,
    { operation }: Context,
  ): Promise<T> {
    const hasFailed = found instanceof Error;
    if (hasFailed && !allowsStale(found)) throw found;
    const old = await other();
    if (old && (hasFailed || isLater(old, found))) return serve(old, operation);
    if (hasFailed) throw found;
    return found;
  }

  /** Asks the upstream to filter; if that fails, old records do. */
  async function loadFiltered<T extends Found>(
    { old }: Question<K, T>,
    filtered: Filtered<T>,
    context: Context,
  ): Promise<T> {
    const found = await Promise.resolve(filtered.load()).catch(asError);
    const isFresh = !(found instanceof Error) && !found.stale;
    return isFresh ? found : latestOf(found, old, context);
  }

  /** Loads all records; if they do not come in time, those that the upstream lets pass; otherwise old records. */
  async function loadInTime<T extends Found>(
    question: Question<K, T>,
    filtered: Filtered<T> | undefined,
    days: number,
    context: Context,
  ): Promise<T> {
    const all = await Promise.resolve(question.loadAll()).catch(asError);
    const failure = all instanceof Error ? all : all.failure;
    if (!failure) noteInTime(question, days, context);
    if (isLateBody(failure)) {
      const found = await Promise.resolve(filtered?.load()).catch(asError);
      // A client whose key was revoked meanwhile gets no old records; one that may send no more requests does.
      if (found instanceof Error && !allowsStale(found) && !isOverBudget(found)) throw found;
      if (found && !(found instanceof Error) && !found.stale) {
        // Since this came, it was the size of the other answer that made it late.
        noteLate(question, days, failure, context);
        return found;
      }
    }
    // The caller has a way of its own to get around an answer that was cut short.
    if (filtered && failure && !(all instanceof CutShort))
      return latestOf(all, filtered.old, context);
    if (all instanceof Error) throw all;
    return all;
  }

  return function load<T extends Found>(question: Question<K, T>, context: Context): Maybe<T> {
    const days = missingDays(question, context);
    if (days === 0) return question.loadAll();
    const filtered = question.filtered();
    if (filtered?.isFresh()) return filtered.load();
    const known = knownLate(question, context.gateway);
    if (!filtered || !known || days < known.days)
      return loadInTime(question, filtered, days, context);
    // Another process may have stored all records of some days.
    return whenReady(byDay.cache(context.gateway).catchUp(question.key), (isMore) =>
      isMore ? load(question, context) : loadFiltered(question, filtered, context),
    );
  };
}
