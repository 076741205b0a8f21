import type { Direct } from './economy-questions.ts';
import type { Visit } from './economy-trace.ts';

/**
 * What the operations of a trace would cost without the gateway, and what they must cost at least.
 * Computed from the trace: nothing is sent.
 */

/** Units of one request: nothing where nothing matches. */
export type Price = (request: Direct) => number;

/** Each field sends its requests each time. */
export function withoutCache(visits: readonly Visit[], price: Price): number {
  let units = 0;
  for (const { direct } of visits.flatMap(({ questions }) => questions))
    for (const request of direct) units += price(request);
  return units;
}

/** An answer serves the same URL until its time to live has passed. */
export function withExactCache(visits: readonly Visit[], price: Price): number {
  return refreshes(visits, ({ path }) => [path], price);
}

/**
 * With perfect foresight: each refresh brings everything of its key that will be asked for, and
 * comes no earlier than the first question that finds nothing fresh.
 */
export function atBest(visits: readonly Visit[]): number {
  return refreshes(
    visits,
    ({ keys }) => keys,
    () => 1,
  );
}

/** Adds the price of each request that finds one of its keys not fresh, in order of time. */
function refreshes(
  visits: readonly Visit[],
  keysOf: (request: Direct) => readonly string[],
  price: Price,
): number {
  const freshUntil = new Map<string, number>();
  let units = 0;
  for (const { at, questions } of visits)
    for (const request of questions.flatMap(({ direct }) => direct))
      for (const key of keysOf(request)) {
        if (at < (freshUntil.get(key) ?? -Infinity)) continue;
        freshUntil.set(key, at + request.ttl * 1000);
        units += price(request);
      }
  return units;
}
