import { type Meter, perMeter } from '../meters.ts';
import { CORRECTIONS } from '../shared/attribution.ts';
import type { ReadSpent, SpentLine } from '../shared/units.ts';
import type { Month } from '../spending/calendar.ts';
import { dayAt, HOUR_MS } from '../time.ts';

/** What was spent in a month, added up by hour and by who or what has spent it. */

export const DIMENSIONS = ['client', 'operation', 'dataset'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Units by day of the month, from 0. */
export type ByDay = Record<Meter, number[]>;

export interface Sums {
  /** Units by hour since 1970. */
  hours: Record<Meter, Map<number, number>>;
  by: Record<Dimension, Map<string, ByDay>>;
}

/** Number of hours before the current one whose lines may still change, as those of the current one do. */
const UNSETTLED_HOURS = 1;

export const hoursOf = ({ start, end }: Month) => ({
  from: Math.ceil(start / HOUR_MS),
  to: Math.ceil(end / HOUR_MS),
});

/**
 * The sums of one month. Settled hours are read again only once an hour, since a process that could not store its units
 * in time adds them late.
 */
export function createMonthSums(month: Month, timezone: string, readSpent: ReadSpent) {
  const { from, to } = hoursOf(month);
  let known: { sums: Sums; settledTo: number; readIn: number } | undefined;

  return {
    /** Returns sums of settled hours and of those that may still change. Rejects if they cannot be read now. */
    async read(nowHour: number): Promise<readonly Sums[]> {
      const last = known?.readIn === nowHour ? known : undefined;
      const settledTo = last?.settledTo ?? Math.max(from, Math.min(to, nowHour - UNSETTLED_HOURS));
      // Collected in new sums until all is read, since reading may fail halfway.
      const settled = createSums(month, timezone);
      const recent = createSums(month, timezone);
      for await (const lines of readSpent(last ? settledTo : from, to))
        for (const line of lines) (line.hour < settledTo ? settled : recent).add(line);
      known = last ?? { sums: settled, settledTo, readIn: nowHour };
      return [known.sums, recent];
    },
  };
}

export type MonthSums = ReturnType<typeof createMonthSums>;

function createSums(month: Month, timezone: string): Sums & { add(line: SpentLine): void } {
  const hours = perMeter(() => new Map<number, number>());
  const by = { client: newNames(), operation: newNames(), dataset: newNames() };
  const indexOf = createDayIndex(month, timezone);

  return {
    hours,
    by,
    add(line) {
      const { meter, hour, units } = line;
      hours[meter].set(hour, (hours[meter].get(hour) ?? 0) + units);
      const day = indexOf(hour);
      for (const dimension of DIMENSIONS) {
        const name = line.operation === CORRECTIONS ? CORRECTIONS : line[dimension];
        const days = by[dimension].get(name) ?? perMeter((): number[] => []);
        by[dimension].set(name, days);
        days[meter][day] = (days[meter][day] ?? 0) + units;
      }
    },
  };
}

const newNames = () => new Map<string, ByDay>();

/** Returns which day of the month, from 0, an hour belongs to; each hour is worked out once. */
function createDayIndex({ start }: Month, timezone: string): (hour: number) => number {
  const first = dayAt(start, timezone);
  const indexes = new Map<number, number>();
  return (hour) => {
    const index = indexes.get(hour) ?? dayAt(hour * HOUR_MS, timezone) - first;
    indexes.set(hour, index);
    return index;
  };
}
