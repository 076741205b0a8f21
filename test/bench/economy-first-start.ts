import { askedIn, daysOf, expiryOf, needsOf } from './economy-costs.ts';
import type { DirectRequest } from './economy-questions.ts';
import type { Trace } from './economy-visits.ts';

/**
 * The fewest units that a gateway can reach on its very first start, when it knows what has been asked so far
 * and nothing of what will be. A request brings a year of its key, and all days that have been asked for of
 * any key of its dataset; ten years once somebody has asked for more than one. Assets beyond the first 500
 * are requested separately: all of them that have been asked for.
 */

const YEAR = 366;
const TEN_YEARS = 3660;

interface HeldUntil {
  recent: number;
  settled: number;
  start: number;
  end: number;
  names: ReadonlySet<string>;
}

export function withFirstStart(trace: Trace, today: number): number {
  const held = new Map<string, HeldUntil>();
  const reaches = new Map<string, { start: number; end: number }>();
  const names = new Set<string>();
  const askedAlone = new Map<string, number>();
  let units = 0;

  /** Returns the days that requests of a dataset cover by now. */
  function reachOf(direct: DirectRequest): { start: number; end: number } {
    const known = reaches.get(direct.dataset) ?? { start: today - YEAR, end: today + 62 };
    const { start, end } = daysOf(direct) ?? known;
    const first = Math.min(known.start, start);
    const reach = {
      start: first < today - YEAR ? Math.min(first, today - TEN_YEARS) : first,
      end: Math.max(known.end, end),
    };
    reaches.set(direct.dataset, reach);
    return reach;
  }

  function need(
    key: string,
    others: readonly string[],
    at: number,
    direct: DirectRequest,
    named: readonly string[],
  ): void {
    const needs = needsOf(direct, today);
    const reach = reachOf(direct);
    const { start, end } = daysOf(direct) ?? reach;
    const has = (one: HeldUntil | undefined) =>
      one !== undefined &&
      needs.every((part) => at < one[part]) &&
      one.start <= start &&
      one.end >= end &&
      named.every((name) => one.names.has(name));
    for (const name of named) names.add(name);
    if ([key, ...others].some((one) => has(held.get(one)))) return;
    // The key that was last asked for by itself is likely to be needed next.
    const lastAsked = (one: string) => askedAlone.get(one) ?? -Infinity;
    const recently = others.filter(
      (one) => at - lastAsked(one) <= trace.ttl[direct.dataset] * 1000,
    );
    const best = recently.toSorted((a, b) => lastAsked(b) - lastAsked(a))[0] ?? key;
    held.set(best, { ...expiryOf(direct, at, trace.ttl), ...reach, names: new Set(names) });
    units += 1;
  }

  for (const { at, direct } of askedIn(trace)) {
    const { key, alsoIn = [], unlisted = [] } = direct;
    if (alsoIn.length === 0) askedAlone.set(key, at);
    const isAllUnlisted =
      unlisted.length > 0 && direct.path.split('%2C').length === unlisted.length;
    if (!isAllUnlisted) need(key, alsoIn, at, direct, []);
    const others = alsoIn.map((one) => `${one} unlisted`);
    if (unlisted.length > 0) need(`${key} unlisted`, others, at, direct, unlisted);
  }
  return units;
}
