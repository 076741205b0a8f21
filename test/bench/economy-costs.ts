import { parseDay } from '../../src/time.ts';
import type { Direct } from './economy-questions.ts';
import type { TimesToLive, Trace } from './economy-visits.ts';

/**
 * What the operations of a trace would cost without the gateway, and what they must cost at least.
 * Computed from the trace: nothing is sent.
 */

/** Units of one request: nothing where nothing matches. */
export type Price = (request: Direct) => number;

interface Asked {
  at: number;
  direct: Direct;
}

export const askedIn = ({ visits }: Trace): Asked[] =>
  visits.flatMap(({ at, questions }) =>
    questions.flatMap((question) => question.direct.map((direct) => ({ at, direct }))),
  );

/** Each field sends its requests each time. */
export function withoutCache(trace: Trace, price: Price): number {
  let units = 0;
  for (const { direct } of askedIn(trace)) units += price(direct);
  return units;
}

/** An answer serves the same URL until its time to live has passed. */
export function withExactCache(trace: Trace, price: Price): number {
  const freshUntil = new Map<string, number>();
  let units = 0;
  for (const { at, direct } of askedIn(trace)) {
    if (at < (freshUntil.get(direct.path) ?? -Infinity)) continue;
    freshUntil.set(direct.path, at + trace.ttl[direct.dataset] * 1000);
    units += price(direct);
  }
  return units;
}

/** Days of which a question asks; undefined: no dataset of days, or its default. */
export function daysOf({ path }: Direct): { start: number; end: number } | undefined {
  const query = new URL(path, 'http://sandbox').searchParams;
  const [start, end] = [query.get('start'), query.get('end')];
  if (start === null || end === null) return undefined;
  return { start: parseDay(start) ?? 0, end: parseDay(end) ?? 0 };
}

const SETTLED_AFTER_DAYS = 7;

/** What of a key a question needs: days that no longer change live longer. */
export function needsOf(direct: Direct, today: number): ('recent' | 'settled')[] {
  const days = daysOf(direct);
  const settled = today - SETTLED_AFTER_DAYS;
  if (!days || days.start > settled) return ['recent'];
  return days.end <= settled ? ['settled'] : ['recent', 'settled'];
}

/** When each part of a key that was asked for at a moment is fresh no longer. */
export function expiryOf(direct: Direct, at: number, ttl: TimesToLive) {
  return { recent: at + ttl[direct.dataset] * 1000, settled: at + ttl.settled * 1000 };
}

/**
 * With perfect foresight: each request brings everything of its key that will be asked for, and leaves no
 * earlier than the first question that finds nothing fresh. Where several keys would answer it, that one is
 * asked for which is needed by itself first.
 */
export function atBest(trace: Trace, today: number): number {
  const all = askedIn(trace);
  const fresh = new Map<string, { recent: number; settled: number }>();
  const alone = Map.groupBy(
    all.filter(({ direct }) => !direct.alsoIn?.length),
    ({ direct }) => direct.key,
  );
  const next = (key: string, at: number) =>
    alone.get(key)?.find((asked) => asked.at >= at && asked.at >= (fresh.get(key)?.recent ?? 0))
      ?.at ?? Infinity;
  let units = 0;
  for (const { at, direct } of all) {
    const { key, alsoIn = [] } = direct;
    const needs = needsOf(direct, today);
    const has = (one: string) => needs.every((part) => at < (fresh.get(one)?.[part] ?? -Infinity));
    if ([key, ...alsoIn].some(has)) continue;
    const best = [key, ...alsoIn].reduce((a, b) => (next(b, at) < next(a, at) ? b : a));
    fresh.set(best, expiryOf(direct, at, trace.ttl));
    units += 1;
  }
  return units;
}
