import { type Meter, perMeter, totalOf } from '../meters.ts';
import type { ByDay, Dimension, Sums } from './spent.ts';

/** Who or what has spent most. */

interface Spender {
  /** '' if there is none. */
  name: string;
  units: Record<Meter, number>;
  /** Units by day of the month. */
  days: ByDay;
}

/** The largest spenders by name, and what all others have spent together. */
export interface Spenders {
  most: readonly Spender[];
  others: { count: number; units: Record<Meter, number> };
}

const MAX_SPENDERS = 50;

export function spendersOf(parts: readonly Sums[], dimension: Dimension): Spenders {
  const names = new Set(parts.flatMap(({ by }) => [...by[dimension].keys()]));
  const all = [...names]
    .map((name) => ({ name, units: unitsOf(parts, dimension, name) }))
    .toSorted((a, b) => totalOf(b.units) - totalOf(a.units) || a.name.localeCompare(b.name));
  const others = all.slice(MAX_SPENDERS);
  const most = all.slice(0, MAX_SPENDERS).map((spender) => ({
    ...spender,
    days: daysOf(parts, dimension, spender.name),
  }));
  const units = perMeter((meter) => others.reduce((sum, one) => sum + one.units[meter], 0));
  return { most, others: { count: others.length, units } };
}

function unitsOf(parts: readonly Sums[], dimension: Dimension, name: string) {
  return perMeter((meter) => {
    const days = parts.flatMap(({ by }) => by[dimension].get(name)?.[meter] ?? []);
    return days.reduce((sum, units) => sum + (units ?? 0), 0);
  });
}

function daysOf(parts: readonly Sums[], dimension: Dimension, name: string): ByDay {
  return perMeter((meter) => {
    const [settled = [], recent = []] = parts.map(({ by }) => by[dimension].get(name)?.[meter]);
    const length = Math.max(settled.length, recent.length);
    return Array.from({ length }, (_, day) => (settled[day] ?? 0) + (recent[day] ?? 0));
  });
}
