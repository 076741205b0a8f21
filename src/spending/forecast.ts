import type { Allowance } from './allowance.ts';
import { HOUR_MS } from '../time.ts';
import { refreshCost } from './cost-curve.ts';
import type { Plan } from './planner.ts';

export interface Forecast {
  /** Units that we will have spent by the month's end. */
  monthEnd: number;
  /** When nothing will be left, in ms since 1970; null where it lasts, or where nobody knows what is left. */
  exhaustedAt: number | null;
  stretch: number;
}

/** What becomes of the month if the pressure stays what it is. */
export function forecastOf(
  { running, later, rhythm, outlook }: Plan,
  { used, left }: Allowance,
  { pressure, stretch, now }: { pressure: number; stretch: number; now: number },
): Forecast {
  const hours = [running, ...later];
  const parts = hours.reduce((sum, { part }) => sum + part, 0);
  const fixed = (outlook.neverAsked + outlook.elsewhere) / Math.max(1e-9, parts);
  let ours = used;
  let rest = left ?? Infinity;
  for (const { start, part, slot } of hours) {
    const refreshes = refreshCost(rhythm.at(slot), pressure) * part;
    const gone = refreshes + fixed * part;
    if (gone > 0 && gone >= rest) {
      const exhaustedAt = Math.max(now, start + (rest / gone) * part * HOUR_MS);
      const mine = refreshes + (outlook.neverAsked * part) / parts;
      return { monthEnd: ours + rest * (mine / gone), exhaustedAt, stretch };
    }
    rest -= gone;
    ours += refreshes + (outlook.neverAsked * part) / parts;
  }
  return { monthEnd: ours, exhaustedAt: rest <= 0 ? now : null, stretch };
}
