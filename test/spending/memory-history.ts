import { sumOf } from '../../src/shared/history.ts';
import type { SpendingHistory } from '../../src/spending/rows.ts';

/** A history that ends with the process. */
export function createMemoryHistory(): SpendingHistory {
  const rowsOf = new Map<string, Map<number, readonly number[]>>();
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
