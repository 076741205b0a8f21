import { randomUUID } from 'node:crypto';
import { type Clock, DAY_MS, hourAt, monthAt } from '../../time.ts';
import { createHistory } from '../history.ts';
import { applyChange } from './booking.ts';
import { isReadOnly } from './failures.ts';
import { inodeOf } from './file.ts';
import { followName, openLedger, reopenLedger, setBusyTimeout } from './ledger-file.ts';
import { IN_MEMORY, walOf } from './names.ts';
import { readSpent } from './spent.ts';
import { MAX_WAIT_MS } from './start.ts';
import type { OnTrouble } from '../trouble.ts';
import type { AccountId, Applied, Change, UnitStore } from '../units.ts';

/** Counts units in an SQLite file, for the processes of one machine, or in memory. */

interface SqliteUnitsOptions {
  /** IN_MEMORY for no file. */
  path: string;
  now: Clock;
  onTrouble: UnitsTrouble;
}

/** Callbacks for when the file cannot be used for longer than a moment. */
interface UnitsTrouble extends OnTrouble {
  /** Called when the file, or its log, was removed or replaced while open: what was counted is in the new one. */
  moved?(): void;
}

/** How many failures in a row are reported as trouble: a single one may be over in a moment. */
const MAX_FAILURES = 2;

interface SqliteUnits extends UnitStore {
  /** Nothing is left to store when it returns. */
  close(): void;
}

/** Throws if the file cannot be opened. */
export function unitsInSqlite({ path, now, onTrouble }: SqliteUnitsOptions): SqliteUnits {
  let ledger = openLedger(path);
  const history = createHistory({
    write: (name, slot, values) => ledger.history.write(name, slot, values),
    read: (name, fromSlot) => ledger.history.read(name, fromSlot),
  });
  const writer = randomUUID();
  const removeOld = onceAnHour(now, (hour) => {
    // The month before may still be going on in another time zone.
    const month = monthAt(now() - 40 * DAY_MS, 'UTC');
    ledger.tables.removeOld(hour, month);
  });
  let failures = 0;
  let mustReopen = false;

  const wal = walOf(path);
  const isInPlace = () =>
    inodeOf(path) === ledger.inode && (ledger.walInode === 0 || inodeOf(wal) === ledger.walInode);

  /**
   * Switches to the file that has the name now if it, or its log, is not the one that is open; reopens the file if need
   * be. Throws if that is impossible at present.
   */
  function follow(): void {
    if (path === IN_MEMORY) return;
    if (ledger.db.isOpen && !isInPlace()) {
      ledger = followName(ledger, path);
      return onTrouble.moved?.();
    }
    if (mustReopen || !ledger.db.isOpen) ledger = reopenLedger(ledger, path);
    mustReopen = false;
  }

  function noteFailure(error: unknown): undefined {
    failures += 1;
    mustReopen ||= isReadOnly(error);
    if (failures === MAX_FAILURES) onTrouble.begins(String(error));
  }

  function noteSuccess(): void {
    if (failures >= MAX_FAILURES) onTrouble.ends();
    failures = 0;
  }

  /** Reports a file that can only be read at once, and not when the first unit is to be spent. */
  function reportReadOnly(): void {
    try {
      // Writes nothing. To begin a transaction would not do: SQLite begins one that only reads.
      ledger.db.exec('DELETE FROM units WHERE FALSE');
    } catch (error) {
      if (!isReadOnly(error)) return;
      failures = MAX_FAILURES - 1;
      noteFailure(error);
    }
  }

  function change(id: AccountId, requested: Change): Applied {
    const { tables } = ledger;
    const account = tables.read(id);
    const last = account.writers[writer];
    const isRepeated = last?.number === requested.number;
    const applied = isRepeated
      ? { taken: last.shares ?? [], elsewhere: 0 }
      : applyChange({ tables, id, account }, writer, requested, now());
    if (!isRepeated) tables.write(id, account);
    removeOld();
    return { ...applied, account, advance: 0, waitMs: undefined };
  }

  reportReadOnly();
  return {
    history,
    maxFailures: MAX_FAILURES,
    heartbeatMs: undefined,
    apply(id, requested) {
      try {
        follow();
        ledger.forget();
        const applied = ledger.tables.inTransaction(() => change(id, requested));
        noteSuccess();
        return applied;
      } catch (error) {
        return noteFailure(error);
      }
    },
    read: (id) => orUnknown(() => ledger.read(id)),
    readCounter: (id, counter) => orUnknown(() => ledger.tables.counter(id, counter)),
    spent: (from, to) => readSpent((after, end) => ledger.readLines(after, end), from, to),
    beginClose: () => setBusyTimeout(ledger, MAX_WAIT_MS),
    close() {
      if (!ledger.db.isOpen) return;
      orUnknown(follow);
      history.flush();
      ledger.db.close();
    },
  };
}

/** Returns what `read` returns; undefined if the file cannot be read at present. */
function orUnknown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function onceAnHour(now: Clock, task: (hour: number) => void): () => void {
  let done = -Infinity;
  return () => {
    const hour = hourAt(now());
    if (hour === done) return;
    done = hour;
    task(hour);
  };
}
