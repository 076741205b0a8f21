import { parseDay } from '../../src/time.ts';
import type { DirectRequest } from './economy-questions.ts';
import type { TimesToLive, Trace } from './economy-visits.ts';

/**
 * Computes what the operations of a trace would cost without the gateway, and the least they can cost.
 * Nothing is sent.
 */

/** Units that one request costs: 0 if nothing matches it. */
export type Price = (request: DirectRequest) => number;

interface Asked {
  at: number;
  direct: DirectRequest;
}

export const askedIn = ({ visits }: Trace): Asked[] =>
  visits.flatMap(({ at, questions }) =>
    questions.flatMap((question) => question.direct.map((direct) => ({ at, direct }))),
  );

/** Units without a cache: each field sends its requests every time. */
export function withoutCache(trace: Trace, price: Price): number {
  let units = 0;
  for (const { direct } of askedIn(trace)) units += price(direct);
  return units;
}

/** Units with a cache of exact requests: an answer serves the same URL until its time to live has passed. */
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

/** Returns the days that a request names; undefined if its dataset has no days, or for the default range. */
export function daysOf({ path }: DirectRequest): { start: number; end: number } | undefined {
  const query = new URL(path, 'http://sandbox').searchParams;
  const [start, end] = [query.get('start'), query.get('end')];
  if (start === null || end === null) return undefined;
  return { start: parseDay(start) ?? 0, end: parseDay(end) ?? 0 };
}

const SETTLED_AFTER_DAYS = 8;

/** Returns which parts of a key a request needs: settled days, which no longer change, stay fresh longer. */
export function needsOf(direct: DirectRequest, today: number): ('recent' | 'settled')[] {
  const days = daysOf(direct);
  const settled = today - SETTLED_AFTER_DAYS;
  if (!days || days.start > settled) return ['recent'];
  return days.end <= settled ? ['settled'] : ['recent', 'settled'];
}

/** Returns when each part of a key that is requested at `at` expires. */
export function expiryOf(direct: DirectRequest, at: number, ttl: TimesToLive) {
  return { recent: at + ttl[direct.dataset] * 1000, settled: at + ttl.settled * 1000 };
}

/**
 * Units with perfect foresight: each request brings everything of its key that will be asked for, and is sent no
 * earlier than the first question that finds nothing fresh. If several keys would answer that question, the one that is
 * soonest needed by a question of its own is requested.
 */
export function withForesight(trace: Trace, today: number): number {
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
