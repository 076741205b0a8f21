import { DAY } from './month-demand.ts';
import type { Question, World } from './month-world.ts';

/** A way of deciding about spending in a run: freely, by an even split, by a constant stretch or by the governor. */
export interface Way {
  /** Advances time to the next question, or to the month's end. */
  advanceTo(at: number): void;
  agingTime(): number;
  stretch(): number;
  /** Whether a unit may be spent. If `isRefresh`, a stale value can be served instead. */
  maySpend(isRefresh: boolean): boolean;
  noteSpent(key: string, lifetimeMs: number, waitedMs: number | undefined): void;
  noteElsewhere?(): void;
}

export interface Outcome {
  units: number;
  /** The day of the month on which a question first found no unit left; null if none did. */
  exhaustedOn: number | null;
  /** Questions that got no answer: no value was cached, and no unit could be spent. */
  refused: number;
  /** Mean age of the values served, in seconds. */
  meanAge: number;
  age95: number;
  unused: number;
}

interface Entry {
  at: number;
  aging: number;
}

/** Replays questions against a cache with one value for each key, and an allowance that a second spender shares. */
export function replay(
  world: World,
  allowance: number,
  way: Way,
  { hasLimit = true } = {},
): Outcome {
  const cache = new Map<string, Entry>();
  const ages: number[] = [];
  const spent = { units: 0, elsewhere: 0 };
  const missed: { exhaustedOn: number | null; refused: number } = { exhaustedOn: null, refused: 0 };
  const left = (): number => allowance - spent.units - spent.elsewhere;
  const isPaid = (): boolean => !hasLimit || left() > 0;

  function advanceTo(at: number): void {
    while ((world.elsewhere[spent.elsewhere] ?? Infinity) <= at && isPaid()) {
      spent.elsewhere += 1;
      way.noteElsewhere?.();
    }
    way.advanceTo(at);
  }

  function fetch({ at, key, lifetimeMs }: Question, waitedMs: number | undefined): void {
    spent.units += 1;
    cache.set(key, { at, aging: way.agingTime() });
    way.noteSpent(key, lifetimeMs, waitedMs);
  }

  function answer(question: Question): Entry | undefined {
    const entry = cache.get(question.key);
    const staleMs = entry && way.agingTime() - entry.aging - question.lifetimeMs;
    if (staleMs !== undefined && staleMs < 0) return entry;
    if (isPaid() && way.maySpend(entry !== undefined))
      fetch(question, staleMs && staleMs * way.stretch());
    else if (!isPaid()) missed.exhaustedOn ??= Math.floor((question.at - world.start) / DAY) + 1;
    return cache.get(question.key);
  }

  for (const question of world.questions) {
    advanceTo(question.at);
    const entry = answer(question);
    if (entry) ages.push(question.at - entry.at);
    else missed.refused += 1;
  }
  advanceTo(world.end);
  return { ...missed, ...agesOf(ages), units: spent.units, unused: left() };
}

function agesOf(ages: readonly number[]): { meanAge: number; age95: number } {
  const sorted = Float64Array.from(ages).toSorted();
  const sum = sorted.reduce((total, age) => total + age, 0);
  const percentile95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  return { meanAge: sum / sorted.length / 1000, age95: percentile95 / 1000 };
}
