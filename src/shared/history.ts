import { z } from 'zod';
import { parseJson } from '../json.ts';
import { attempt, whenReady } from '../maybe.ts';

/**
 * Rows of numbers by slot, to which all processes add: what the governor of each meter learns from
 * (src/spending, under the meter's name), and what the console tells (src/observe/tallies.ts). A slot is an
 * hour (hours since 1970); that of the rows `replicas` and `… began` is a minute. Losing a little of them costs nothing.
 */
export interface History {
  /** Adds to the row of a slot, element by element. */
  add(name: string, slot: number, values: readonly number[]): void;
  /** All rows since a slot, with all that was added before. Rejects where they cannot be read now. */
  read(name: string, fromSlot: number): SlotRows | Promise<SlotRows>;
  /** Writes what is left to write. */
  flush(): void;
}

/** Rows of numbers by slot. */
export type SlotRows = ReadonlyMap<number, readonly number[]>;

/** Of each name rows are kept for so many slots: 40 days of hours (five weeks are learnt from), or 16 hours of minutes. */
export const KEPT_SLOTS = 40 * 24;
/** What is added within so long is written together. */
const WRITE_AFTER_MS = 1000;

/** Where rows are stored. */
export interface StoredRows {
  /** May reject, or throw. */
  read: History['read'];
  /** Adds to a stored row. May throw. */
  write(name: string, slot: number, values: readonly number[]): void;
}

/** A history that writes what is added within a moment as one row. */
export function createHistory({ write, read }: StoredRows): History {
  const waiting = new Map<string, Map<number, readonly number[]>>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [name, rows] of waiting)
      for (const [slot, values] of rows)
        if (isWritten(() => write(name, slot, values))) rows.delete(slot);
  }

  return {
    add(name: string, slot: number, values: readonly number[]): void {
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

/** What cannot be written now goes with the next. The ledger, which is in the same file, tells of it. */
function isWritten(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}

/** Two rows added element by element; one of another version may be shorter or longer. */
export function sumOf(row: readonly number[] = [], added: readonly number[]): readonly number[] {
  const longer = row.length > added.length ? row : added;
  return longer.map((_, i) => (row[i] ?? 0) + (added[i] ?? 0));
}

const numbers = z.array(z.number());
export const readRow = (text: string): readonly number[] =>
  numbers.safeParse(parseJson(text)).data ?? [];
