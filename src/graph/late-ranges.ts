import { createContextCache } from '@pothos/core';
import { createBoundedMap } from '../bounded-map.ts';
import { allowsStale } from '../cache/cached.ts';
import type { DayRange } from '../cache/day-range-options.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { gaps, hullOf, lengthOf } from '../spans.ts';
import type { Span } from '../time.ts';
import { isLateBody, type MarketError } from '../upstream/errors.ts';
import type { Context, Gateway } from './context.ts';

/**
 * Day ranges whose answers do not come in time. All records of some days are requested in one answer, since every filter
 * can be applied to it without a further unit. If it is too large for the line, the upstream is asked to filter.
 */

/** How long it is remembered that an answer did not come in time, in milliseconds: the line may be faster by then. */
const REMEMBERED_MS = 3_600_000;
/** Maximum number of keys for which that is remembered. */
const MAX_KEYS = 1000;

interface Question<K, T> {
  key: K;
  span: Span;
  /** Loads all records of the days. */
  loadAll(): Maybe<T>;
  /** How the upstream filters them; undefined if it can apply none of the question's filters. */
  filtered: { isFresh(): boolean; load(): Maybe<T> } | undefined;
}

interface Late {
  /** Ranges of which at least so many days are not cached are not requested without filters. */
  days: number;
  until: number;
  /** How the request failed. */
  timeout: MarketError;
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

  function isLate({ key }: Question<K, unknown>, days: number, { gateway }: Context): boolean {
    const known = lateOf(gateway).get(byDay.cache(gateway).keyOf(key));
    return known !== undefined && days >= known.days && gateway.monotonic() < known.until;
  }

  function noteLate(
    { key }: Question<K, unknown>,
    { days, timeout }: Pick<Late, 'days' | 'timeout'>,
    { gateway }: Context,
  ): void {
    const late = lateOf(gateway);
    const id = byDay.cache(gateway).keyOf(key);
    const known = late.get(id);
    // Questions about fewer days fail alike: those that shared the request, and any during the pause after it.
    const most = known?.timeout === timeout ? Math.max(known.days, days) : days;
    late.set(id, { days: most, until: gateway.monotonic() + REMEMBERED_MS, timeout });
  }

  /** Asks the upstream to filter; if that fails, old records of all days may still do. */
  async function loadFiltered<T>(question: Question<K, T>, { gateway, operation }: Context) {
    try {
      return await question.filtered!.load();
    } catch (error) {
      const { all } = byDay.cache(gateway).coverageOf(question.key, operation);
      if (!allowsStale(error) || gaps(all, question.span).length > 0) throw error;
      return question.loadAll();
    }
  }

  return function load<T extends { stale: boolean }>(
    question: Question<K, T>,
    context: Context,
  ): Maybe<T> {
    const { key, loadAll, filtered } = question;
    if (!filtered) return loadAll();
    const days = missingDays(question, context);
    if (days === 0) return loadAll();
    if (filtered.isFresh()) return filtered.load();
    if (isLate(question, days, context))
      // Another process may have stored all records of some days.
      return whenReady(byDay.cache(context.gateway).catchUp(key), (isMore) =>
        isMore ? load(question, context) : loadFiltered(question, context),
      );
    return Promise.resolve(loadAll()).catch(async (error: unknown) => {
      if (!isLateBody(error)) throw error;
      const found = await Promise.resolve(filtered.load()).catch(() => Promise.reject(error));
      // Since this came, it was the size of the other answer that made it late.
      if (!found.stale) noteLate(question, { days, timeout: error }, context);
      return found;
    });
  };
}
