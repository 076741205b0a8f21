import type { Meter } from '../meters.ts';
import { type HourRows, sumOf } from '../shared/hour-rows.ts';

/** Additive rows by hour: several processes add to the same rows, and all read the same. */
export interface SpendingHistory {
  /** Adds to the row of an hour (hours since 1970), element by element. */
  add(meter: Meter, hour: number, values: readonly number[]): void;
  /** All rows since that hour, of all processes. May be slow: called at start, then every few minutes. */
  read(meter: Meter, fromHour: number): HourRows | Promise<HourRows>;
}

/** Rows that end with the process: for tests and the sandbox. */
export function createMemoryHistory(): SpendingHistory {
  const rowsOf = new Map<Meter, Map<number, readonly number[]>>();
  return {
    add(meter, hour, values) {
      const rows = rowsOf.get(meter) ?? new Map<number, readonly number[]>();
      rowsOf.set(meter, rows);
      rows.set(hour, sumOf(rows.get(hour), values));
    },
    read(meter, fromHour) {
      const rows = rowsOf.get(meter) ?? new Map<number, readonly number[]>();
      return new Map(rows.entries().filter(([hour]) => hour >= fromHour));
    },
  };
}
