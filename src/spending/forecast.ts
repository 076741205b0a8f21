import type { Allowance } from './allowance.ts';
import { HOUR_MS } from '../time.ts';
import { MAX_STRETCH, refreshCost } from './cost-curve.ts';
import type { Plan } from './planner.ts';
import { pressureFor } from './priority.ts';

/** What usage reports say of the rest of the month. */

export interface Forecast {
  /** Units that the gateway will have spent by the month's end. */
  monthEnd: number;
  /** When nothing will be left, in ms since 1970; null if the allowance lasts, or if what is left is unknown. */
  exhaustedAt: number | null;
  stretch: number;
}

interface Present {
  pressure: number;
  stretch: number;
  now: number;
  /** Whether the pressure follows what is left. */
  isGoverned: boolean;
}

/**
 * Forecasts the month as if the pressure stayed the same. A pressure that follows what is left (`isGoverned`) does not:
 * then nothing runs out, unless not even the longest stretch would make the allowance last.
 */
export function forecastOf(plan: Plan, { used, left }: Allowance, present: Present): Forecast {
  const { pressure, stretch, now, isGoverned } = present;
  const available = left ?? Infinity;
  const minCost = sumOf(costsOf(plan, pressureFor(MAX_STRETCH)));
  let monthEnd = used;
  let rest = isGoverned && available > 0 && minCost <= available ? Infinity : available;
  for (const { start, part, ours, all } of costsOf(plan, pressure)) {
    if (all > 0 && all >= rest) {
      const exhaustedAt = Math.max(now, start + (rest / all) * part * HOUR_MS);
      return { monthEnd: monthEnd + rest * (ours / all), exhaustedAt, stretch };
    }
    rest -= all;
    monthEnd += ours;
  }
  const exhaustedAt = rest <= 0 ? now : null;
  return { monthEnd: Math.min(monthEnd, used + available), exhaustedAt, stretch };
}

const sumOf = (costs: readonly { all: number }[]) => costs.reduce((sum, { all }) => sum + all, 0);

/** Returns the units of each remaining hour: the gateway's own (`ours`), and with what others spend (`all`). */
function costsOf({ running, later, rhythm, outlook }: Plan, pressure: number) {
  const hours = [running, ...later];
  const parts = hours.reduce((sum, { part }) => sum + part, 0);
  const fixed = (outlook.neverAsked + outlook.elsewhere) / Math.max(1e-9, parts);
  return hours.map(({ start, part, slot }) => {
    const refreshes = refreshCost(rhythm.at(slot), pressure) * part;
    const ours = refreshes + (outlook.neverAsked * part) / parts;
    return { start, part, ours, all: refreshes + fixed * part };
  });
}
