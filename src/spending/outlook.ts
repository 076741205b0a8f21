import { HOUR_MS, hourAt } from '../time.ts';
import { hourOfWeek } from './calendar.ts';
import type { Month } from './calendar.ts';
import type { Costs } from './cost-curve.ts';
import { addCosts, emptyCosts, unitsOf } from './cost-curve.ts';
import type { Rhythm } from './rhythm.ts';

/** An hour to come, or what is left of the running one. */
export interface ComingHour {
  start: number;
  /** Which part of it is still to come, 0 to 1. */
  part: number;
  slot: number;
}

/** All hours until the month's end. */
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
