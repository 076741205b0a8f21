import { HOUR_MS, hourAt } from '../time.ts';
import { hourOfWeek, type Month } from './calendar.ts';
import { addCosts, type Costs, emptyCosts, unitsOf } from './cost-curve.ts';
import type { Rhythm } from './rhythm.ts';

/** The hours until the month's end, and what is expected of them. */

/** What is expected of the rest of the month. */
export interface Outlook {
  /** What the hours to come cost. */
  costs: Costs;
  /** Units that questions never asked before will need. */
  neverAsked: number;
  /** Units that somebody else will spend. */
  elsewhere: number;
  hoursToCome: number;
  /** The hour of the day now, 0 to 23. */
  hourOfDay: number;
  /** How many hours were observed, and how many units were spent in them. */
  observedHours: number;
  observedUnits: number;
}

/** An hour to come, or what is left of the running one. */
export interface ComingHour {
  start: number;
  /** Which part of it is still to come, 0 to 1. */
  part: number;
  slot: number;
}

/** Returns all hours until the month's end, the rest of the running one first. */
export function hoursToCome(now: number, { end }: Month, timezone: string): ComingHour[] {
  const hours: ComingHour[] = [];
  for (let hour = hourAt(now); hour * HOUR_MS < end; hour += 1) {
    const start = Math.max(now, hour * HOUR_MS);
    const part = (Math.min(end, (hour + 1) * HOUR_MS) - start) / HOUR_MS;
    hours.push({ start, part, slot: hourOfWeek(hour, timezone) });
  }
  return hours;
}

export function costsOf(hours: readonly ComingHour[], rhythm: Rhythm): Costs {
  const partsOf = new Map<number, number>();
  for (const { slot, part } of hours) partsOf.set(slot, (partsOf.get(slot) ?? 0) + part);
  const costs = emptyCosts();
  for (const [slot, parts] of partsOf) addCosts(costs, rhythm.at(slot), parts);
  return costs;
}

export const totalUnits = (rows: ReadonlyMap<number, Costs>): number =>
  rows.values().reduce((sum, row) => sum + unitsOf(row), 0);
