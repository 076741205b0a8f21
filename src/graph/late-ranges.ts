import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../bounded-map.ts';
import { allowsStale, type Cached, isLater, serve } from '../cache/cached.ts';
import type { DayRange } from '../cache/day-range-options.ts';
import { asError, type Maybe, whenReady } from '../maybe.ts';
import { gaps, hullOf, lengthOf } from '../spans.ts';
import type { Span } from '../time.ts';
import { type IncompleteBody, isLateBody } from '../upstream/errors.ts';
import type { Context, Gateway } from './context.ts';

/**
 * Day ranges whose answers do not come in time. All records of some days are requested in one answer, since every filter
 * can be applied to it without a further unit. If it is too large for the line, the upstream is asked to filter.
 */

/** How long it is remembered that an answer did not come in time, in milliseconds: the line may be faster by then. */
const REMEMBERED_MS = 3_600_000;
/** Maximum number of keys for which that is remembered. */
const MAX_KEYS = 1000;
/** How much of an answer is presumed to have arrived by the timeout if its length is not known. */
const PRESUMED_SHARE = 0.5;
/** Of the days that had arrived by the timeout, so many are expected to come in time: lines are not steady. */
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
}

/** What a question is answered with. `failure`: why old records are served. */
type Found = Cached<unknown> & { failure?: Error | undefined };

interface Late {
  /** Ranges of which at least so many days are not cached are not requested without filters. */
  days: number;
  /** How many days there were in the range that was late. */
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
  /**
   * The most days of a question that failed with an error. Those about fewer days fail with the same one, if they share
   * the request or are asked during the pause after it; alone, they may come in time.
   */
  const failedDays = new WeakMap<Error, number>();

  /** How many days a request for all that is missing would cover. */
  function missingDays({ key, span }: Question<K, unknown>, { gateway, operation }: Context) {
    const missing = hullOf(gaps(byDay.cache(gateway).coverageOf(key, operation).fresh, span));
    return missing ? lengthOf(missing) : 0;
  }

  const idOf = ({ key }: Question<K, unknown>, gateway: Gateway) => byDay.cache(gateway).keyOf(key);

  function isLate(question: Question<K, unknown>, days: number, { gateway }: Context): boolean {
    const known = lateOf(gateway).get(idOf(question, gateway));
    return known !== undefined && days >= known.days && gateway.monotonic() < known.until;
  }

  function noteLate(
    question: Question<K, unknown>,
    lateDays: number,
    { share = PRESUMED_SHARE }: IncompleteBody,
    { gateway }: Context,
  ): void {
    const days = Math.max(1, Math.floor(lateDays * share * MARGIN));
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

  /** Asks the upstream to filter. If that fails, old records of all days do, unless old filtered ones came later. */
  async function loadFiltered<T extends Found>(
    { old }: Question<K, T>,
    filtered: Filtered<T>,
    { operation }: Context,
  ): Promise<T> {
    const found = await Promise.resolve(filtered.load()).catch(asError);
    const hasFailed = found instanceof Error;
    if (!hasFailed && !found.stale) return found;
    const all = hasFailed && !allowsStale(found) ? undefined : old();
    if (all && (hasFailed || isLater(all, found))) return serve(all, operation);
    if (hasFailed) throw found;
    return found;
  }

  /** Loads all records; if they do not come in time, those that the upstream lets pass. */
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
      const most = Math.max(days, failedDays.get(failure) ?? 0);
      failedDays.set(failure, most);
      const found = await Promise.resolve(filtered?.load()).catch(asError);
      if (found && !(found instanceof Error) && !found.stale) {
        // Since this came, it was the size of the other answer that made it late.
        noteLate(question, most, failure, context);
        return found;
      }
    }
    if (all instanceof Error) throw all;
    return all;
  }

  return function load<T extends Found>(question: Question<K, T>, context: Context): Maybe<T> {
    const days = missingDays(question, context);
    if (days === 0) return question.loadAll();
    const filtered = question.filtered();
    if (filtered?.isFresh()) return filtered.load();
    if (!filtered || !isLate(question, days, context))
      return loadInTime(question, filtered, days, context);
    // Another process may have stored all records of some days.
    return whenReady(byDay.cache(context.gateway).catchUp(question.key), (isMore) =>
      isMore ? load(question, context) : loadFiltered(question, filtered, context),
    );
  };
}
