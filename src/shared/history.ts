import { z } from 'zod';
import { parseJson } from '../json.ts';
import { attempt, type Maybe, whenReady } from '../maybe.ts';

/**
 * Rows of numbers by slot, to which all processes add: what the governor of each meter learns from (src/spending, under
 * the meter's name), and what the console shows (src/observe/tallies.ts). A slot is an hour (hours since 1970), or a
 * minute in the rows `replicas` and `… began`. Losing a few of the numbers does no harm.
 */
export interface History {
  /** Adds to the row of a slot, element by element. */
  add(name: string, slot: number, values: readonly number[]): void;
  /** Returns all rows from a slot on, including everything added before. Rejects if they cannot be read at present. */
  read(name: string, fromSlot: number): Maybe<SlotRows>;
  /** Writes what is not written yet. */
  flush(): void;
}

/** Rows of numbers by slot. */
export type SlotRows = ReadonlyMap<number, readonly number[]>;

/** Slots kept for each name: 40 days of hours (the governor learns from five weeks), or 16 hours of minutes. */
export const KEPT_SLOTS = 40 * 24;
/** How long additions are gathered before they are written together. */
const WRITE_AFTER_MS = 1000;

/** Where rows are stored. */
export interface StoredRows {
  /** May reject, or throw. */
  read: History['read'];
  /** Adds to a stored row. May throw. */
  write(name: string, slot: number, values: readonly number[]): void;
}

/** Creates a history that gathers additions for a moment, and writes those to one row together. */
export function createHistory({ write, read }: StoredRows): History {
  const waiting = new Map<string, Map<number, readonly number[]>>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [name, rows] of waiting)
      for (const [slot, values] of rows)
        if (tryWrite(() => write(name, slot, values))) rows.delete(slot);
  }

  return {
    add(name, slot, values) {
      const rows = waiting.get(name) ?? new Map<number, readonly number[]>();
      waiting.set(name, rows);
      rows.set(slot, sumOf(rows.get(slot), values));
      timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
    },
    read(name, fromSlot) {
      flush();
      const unwritten = [...(waiting.get(name) ?? [])].filter(([slot]) => slot >= fromSlot);
      return whenReady(
        attempt(() => read(name, fromSlot)),
        (stored) => {
          const rows = new Map(stored);
          for (const [slot, values] of unwritten) rows.set(slot, sumOf(rows.get(slot), values));
          return rows;
        },
      );
    },
    flush,
  };
}

/**
 * Whether `write` succeeded. If not, the next flush tries again; the ledger, in the same place, reports the trouble.
 */
function tryWrite(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}

/** Adds two rows element by element; a row of another version may be shorter or longer. */
export function sumOf(row: readonly number[] = [], added: readonly number[]): readonly number[] {
  const longer = row.length > added.length ? row : added;
  return longer.map((_, i) => (row[i] ?? 0) + (added[i] ?? 0));
}

const numbers = z.array(z.number());
export const readRow = (text: string): readonly number[] =>
  numbers.safeParse(parseJson(text)).data ?? [];
