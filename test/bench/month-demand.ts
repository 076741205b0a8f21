import type { Draw } from './economy-random.ts';

/** What is asked for, and how often at which hour: the datasets of Group B, which cost credits. */

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Share of the questions, how many keys are known at the start, and the time to live in ms. */
const KINDS = [
  { name: 'crypto', share: 0.84, keys: 12, lifetimeMs: 30_000 },
  { name: 'calendar', share: 0.12, keys: 5, lifetimeMs: 300_000 },
  { name: 'legislation', share: 0.037, keys: 5, lifetimeMs: 900_000 },
  { name: 'settled', share: 0.003, keys: 3, lifetimeMs: DAY },
] as const;
/** From this day on, a key that was never asked for before gets this share of all questions. */
const POPULAR = { fromDay: 20, share: 0.08 };

export interface Asked {
  key: string;
  lifetimeMs: number;
}

/** Draws a usual question of a day of the month. */
export function drawUsual(draw: Draw, day: number): Asked {
  if (day >= POPULAR.fromDay && draw.chance(POPULAR.share))
    return { key: 'crypto popular', lifetimeMs: KINDS[0].lifetimeMs };
  const { name, keys, lifetimeMs } = draw.weighted(KINDS.map((kind) => [kind.share, kind]));
  const key = draw.popular(Array.from({ length: keys }, (_, i) => i));
  return { key: `${name} ${key}`, lifetimeMs };
}

/** Returns a question for a key that nobody has asked for before. */
export function drawNew(draw: Draw, i: number): Asked {
  return { key: `new ${i}`, lifetimeMs: draw.among(KINDS).lifetimeMs };
}

/** Demand from 6 am to 10 pm, with a peak at 2 pm; a little at night. */
const byHour = (hour: number): number =>
  0.15 + 1.6 * Math.max(0, Math.sin(((hour - 6) / 16) * Math.PI));
const WEEKEND = 0.45;
const QUIET_SHARE = 0.35;

/** Returns the weight of each hour of the month. One weekend is even quieter than the others. */
export function weightsOf(start: number, end: number, quietWeekend: number): number[] {
  const weights: number[] = [];
  let weekend = -1;
  for (let at = start; at < end; at += HOUR) {
    const date = new Date(at);
    const isWeekend = date.getUTCDay() % 6 === 0;
    if (date.getUTCDay() === 6 && date.getUTCHours() === 0) weekend += 1;
    const share = isWeekend ? WEEKEND * (weekend === quietWeekend ? QUIET_SHARE : 1) : 1;
    weights.push(byHour(date.getUTCHours()) * share);
  }
  return weights;
}

export function poisson(draw: Draw, mean: number): number {
  const wait = (): number => -Math.log(1 - draw.number());
  let count = 0;
  for (let time = wait(); time < mean; time += wait()) count += 1;
  return count;
}
