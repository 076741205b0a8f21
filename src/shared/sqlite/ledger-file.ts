import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../config/folder.ts';
import { isEmptied } from './emptied.ts';
import { DamagedFile } from './failures.ts';
import { inodeOf } from './file.ts';
import { historyTable } from './history.ts';
import { walOf, removeSidecars } from './names.ts';
import { prepareReadRows } from './spent.ts';
import { isRecent, openAtStart, openOnce } from './start.ts';
import { inTransaction } from './transaction.ts';
import { createAccountReader, prepareUnitTables } from './unit-tables.ts';

/**
 * The ledger file is identified by its name. If it is removed or replaced while processes run, they go on in the file
 * that has the name now, and carry over what was counted before.
 */

/** An open ledger file, and the statements for it. */
interface Ledger extends Prepared {
  db: DatabaseSync;
  /** Inode of the file when it was opened: another inode under the same name is another file. */
  inode: number;
  /** The same for the write-ahead log beside it, to which SQLite writes first; 0 if there is none. */
  walInode: number;
}

type Prepared = ReturnType<typeof prepare>;

/** How long a statement waits for a locked file: everything else in the process waits meanwhile. */
const BUSY_TIMEOUT_MS = 2;
/** The same for opening the file while the process serves. */
const OPENING_BUSY_TIMEOUT_MS = 50;

/** Opens the file at the start. Throws if it cannot be opened, or is damaged: see `isDamage`. */
export function openLedger(path: string): Ledger {
  if (isEmptied(path)) throw new DamagedFile('the file is empty although files beside it are not');
  const opened = openAtStart(path, (db) => {
    checkIntegrity(db);
    return prepare(db);
  });
  return ledgerOf(path, opened);
}

/** Throws if the file is damaged. */
export function checkIntegrity(db: DatabaseSync): void {
  const { quick_check: found } = db.prepare('PRAGMA quick_check(1)').get() ?? {};
  if (found !== 'ok') throw new DamagedFile(String(found));
}

function ledgerOf(path: string, { db, prepared }: ReturnType<typeof openOnce<Prepared>>): Ledger {
  const inodes = { inode: inodeOf(path), walInode: inodeOf(walOf(path)) };
  const ledger = { db, ...prepared, ...inodes };
  setBusyTimeout(ledger, BUSY_TIMEOUT_MS);
  return ledger;
}

/** Reopens the file: a connection opened while it was read-only stays so. Throws if that is impossible at present. */
export function reopenLedger(last: Ledger, path: string): Ledger {
  // Close first: connections of one process share state, and a new one would be read-only, too.
  if (last.db.isOpen) last.db.close();
  return openNow(path);
}

const openNow = (path: string) => ledgerOf(path, openOnce(path, prepare, OPENING_BUSY_TIMEOUT_MS));

/**
 * Goes on in the file that has the name now: the open one, or its log, has lost it. Throws if that fails at present.
 */
export function followName(ledger: Ledger, path: string): Ledger {
  if (inodeOf(path) === ledger.inode) replaceByCopy(ledger, path);
  // SQLite would take the log of the lost file for that of the new one.
  else if (inodeOf(walOf(path)) === ledger.walInode) removeSidecars(path);
  return moveLedger(ledger, path);
}

/** Replaces the file by a full copy: its log has lost its name, so other processes cannot find the latest writes. */
function replaceByCopy({ db, inode }: Ledger, path: string): void {
  const next = `${path}.new`;
  claimNext(next);
  try {
    // Another process may have done it just now.
    if (inodeOf(path) !== inode) return rmSync(next);
    db.prepare('VACUUM INTO ?').run(next);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  removeSidecars(path);
  renameSync(next, path);
}

/** Creates the new file, so that only one process writes it. Throws if another one does. */
function claimNext(next: string): void {
  const { mtimeMs } = statSync(next, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs !== undefined && !isRecent(mtimeMs)) rmSync(next, { force: true });
  closeSync(openSync(next, 'wx'));
}

/** Sets how long a statement waits for a lock of another process; this process does nothing else meanwhile. */
export function setBusyTimeout({ db }: Pick<Ledger, 'db'>, ms: number): void {
  if (db.isOpen) db.exec(`PRAGMA busy_timeout = ${ms}`);
}

/** Opens the file that has the name now, and carries over what is in the one that had it before. */
function moveLedger(lost: Ledger, path: string): Ledger {
  claimName(path);
  const next = openNow(path);
  try {
    inTransaction(next.db, () => carryOver(lost.db, next.db));
  } catch (error) {
    next.db.close();
    throw error;
  }
  lost.db.close();
  return next;
}

/** Creates a file if none has the name. One process does; for others this throws until the file is a database. */
function claimName(path: string): void {
  makeFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx'));
    removeSidecars(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
    const { size, mtimeMs } = statSync(path);
    if (size === 0 && isRecent(mtimeMs))
      throw new Error(`${path} is being created by another process`, { cause: error });
  }
}

function prepare(db: DatabaseSync) {
  const tables = prepareUnitTables(db);
  const readers = { readLines: prepareReadRows(db), ...createAccountReader(db, tables) };
  return { tables, history: historyTable(db), ...readers };
}

/** How two counts of the same thing become one. */
type Merge = (column: string) => string;
const sumOf: Merge = (column) => `${column} = ${column} + excluded.${column}`;
const largerOf: Merge = (column) => `${column} = max(${column}, excluded.${column})`;

/** What is carried over from a lost file to another one. Of states, and of learned rows, either version will do. */
const carriedOver = (merge: Merge): [table: string, columns: string, onConflict: string][] => [
  ['units', 'month, meter, used', `DO UPDATE SET ${merge('used')}`],
  ['counters', 'month, meter, client, window, used', `DO UPDATE SET ${merge('used')}`],
  ['spent', 'hour, meter, client, operation, dataset, units', `DO UPDATE SET ${merge('units')}`],
  ['accounts', 'month, meter, state', 'DO NOTHING'],
  ['history', 'meter, hour, numbers', 'DO NOTHING'],
  ['files', 'id', 'DO NOTHING'],
];

/**
 * Adds up the counts of both files. If the other file has no ids but those of the lost one, it is an earlier copy of
 * it: then the larger count is right. If it has all of them, and more, another process has carried over the lost file
 * already.
 */
function carryOver(lost: DatabaseSync, next: DatabaseSync): void {
  const [inLost, inNext] = [idsOf(lost), idsOf(next)];
  const isCopy = inNext.isSubsetOf(inLost);
  if (!isCopy && inLost.isSubsetOf(inNext)) return;
  for (const [table, columns, onConflict] of carriedOver(isCopy ? largerOf : sumOf)) {
    const values = columns.replaceAll(/\w+/g, '?');
    const insert = next.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${values}) ON CONFLICT ${onConflict}`,
    );
    for (const row of lost.prepare(`SELECT ${columns} FROM ${table}`).iterate())
      insert.run(...Object.values(row));
  }
}

/** Returns the ids of a file, and of those whose counts were added to it. */
const idsOf = (db: DatabaseSync) =>
  new Set(
    db
      .prepare('SELECT id FROM files')
      .all()
      .map(({ id }) => String(id)),
  );
