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

/** Of what is left. While data are stretched, so that it lasts exactly, there is always a little too much of it or too little. */
const MADE_UP_FOR = 0.03;

/** What becomes of the month if the pressure stays what it is, but for what the next hours make up for anyway. */
export function forecastOf(
  plan: Plan,
  { used, left }: Allowance,
  { pressure, stretch, now }: { pressure: number; stretch: number; now: number },
): Forecast {
  const costs = costsOf(plan, pressure);
  const most = left ?? Infinity;
  const needed = costs.reduce((sum, { all }) => sum + all, 0);
  const isMadeUpFor = stretch > 1 && most > 0 && needed <= most * (1 + MADE_UP_FOR) + 1;
  let monthEnd = used;
  let rest = isMadeUpFor ? Infinity : most;
  for (const { start, part, ours, all } of costs) {
    if (all > 0 && all >= rest) {
      const exhaustedAt = Math.max(now, start + (rest / all) * part * HOUR_MS);
      return { monthEnd: monthEnd + rest * (ours / all), exhaustedAt, stretch };
    }
    rest -= all;
    monthEnd += ours;
  }
  const exhaustedAt = rest <= 0 ? now : null;
  return { monthEnd: Math.min(monthEnd, used + most), exhaustedAt, stretch };
}

/** The units of each hour that is left: our own, and with what others spend. */
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
