import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../config/folder.ts';
import { inodeOf, removeSidecars } from './file.ts';
import { historyTable } from './history.ts';
import { openAtStart, PATIENT_MS } from './start.ts';
import { inTransaction } from './transaction.ts';
import { createAccountReader, prepareUnitTables } from './unit-tables.ts';

/**
 * The file of the ledger is known by its name. Where that was removed while processes run, or is another file's by
 * now, they go on in what has the name, and what was counted before is added to it.
 */

/** A file of the ledger that is open, and the statements for it. */
interface Ledger extends Prepared {
  db: DatabaseSync;
  /** Of the file when it was opened: another one under the same name is another file. */
  inode: number;
}

type Prepared = ReturnType<typeof prepare>;

/** A statement that finds the file locked waits no longer: everybody else waits meanwhile. */
const BUSY_MS = 2;

/** Throws where the file cannot be opened. */
export function openLedger(path: string): Ledger {
  const { db, prepared } = openAtStart(path, prepare);
  const ledger = { db, ...prepared, inode: inodeOf(path) };
  setBusyTimeout(ledger, BUSY_MS);
  return ledger;
}

/** How long a statement waits for a lock of another process; meanwhile this process does nothing else. */
export function setBusyTimeout({ db }: Pick<Ledger, 'db'>, ms: number): void {
  if (db.isOpen) db.exec(`PRAGMA busy_timeout = ${ms}`);
}

/** Opens what has the name now, and adds to it what is in the file that had it before. Throws where that cannot be done now. */
export function moveLedger(lost: Ledger, path: string): Ledger {
  claimName(path);
  const next = openLedger(path);
  try {
    inTransaction(next.db, () => carryOver(lost.db, next.db));
  } catch (error) {
    next.db.close();
    throw error;
  }
  lost.db.close();
  return next;
}

/** Where nothing has the name, one process makes the file, and others wait until it is a database. Throws meanwhile. */
function claimName(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx'));
    removeSidecars(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
    const { size, mtimeMs } = statSync(path);
    // Whoever takes longer than this has failed, or has died.
    if (size === 0 && Date.now() - mtimeMs < PATIENT_MS)
      throw new Error(`${path} is being made`, { cause: error });
  }
}

function prepare(db: DatabaseSync) {
  const tables = prepareUnitTables(db);
  return { tables, history: historyTable(db), ...createAccountReader(db, tables) };
}

/** How rows of a lost file are added to those of another one. Of states, and of what is learnt, one is as good as the other. */
const CARRIED = {
  units: 'VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET used = used + excluded.used',
  counters: 'VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET used = used + excluded.used',
  spent: 'VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET units = units + excluded.units',
  accounts: 'VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  history: 'VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  files: 'VALUES (?) ON CONFLICT DO NOTHING',
};

/** Several processes had the lost file open: the first of them carries over what is in it. */
function carryOver(lost: DatabaseSync, next: DatabaseSync): void {
  const known = new Set(idsOf(next));
  if (idsOf(lost).every((id) => known.has(id))) return;
  for (const [table, values] of Object.entries(CARRIED)) {
    const insert = next.prepare(`INSERT INTO ${table} ${values}`);
    for (const row of lost.prepare(`SELECT * FROM ${table}`).iterate())
      insert.run(...Object.values(row));
  }
}

/** Of a file, and of those whose counts were added to it. */
const idsOf = (db: DatabaseSync) =>
  db
    .prepare('SELECT id FROM files')
    .all()
    .map(({ id }) => id);
