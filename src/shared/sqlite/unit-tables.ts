import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../../json.ts';
import type { Meter } from '../../meters.ts';
import { type Account, newAccount } from '../account.ts';
import { ATTRIBUTION_KEPT_DAYS } from '../attribution.ts';
import { inTransaction } from './transaction.ts';
import type { AccountId, CounterId, Purpose } from '../units.ts';

/**
 * The SQL of the ledger. Every function throws if the database cannot be used. Statements name their columns, and leave
 * others alone: a later version that shares the file may have added some.
 */

/** An account as stored. Its `used` is in another table. */
export interface StoredAccount extends Account {
  writers: Record<string, Writer>;
}

/** What a process last said. */
export interface Writer {
  /** The number of its last change. */
  number: number;
  /** For processes of an older version, which need it to read the row. */
  taken: number;
  /** For how many requests that change took units, for each entry of its `take`. */
  shares?: readonly number[] | undefined;
  underWay: number;
  at: number;
}

// `used` stays in the table `units`: so processes of an older version that run beside this one count in the same row.
const TABLES = `
CREATE TABLE IF NOT EXISTS units (
  month TEXT NOT NULL, meter TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (month, meter)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (
  month TEXT NOT NULL, meter TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (month, meter)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters (
  month TEXT NOT NULL, meter TEXT NOT NULL, client TEXT NOT NULL, window TEXT NOT NULL,
  used INTEGER NOT NULL, PRIMARY KEY (month, meter, client, window)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
  hour INTEGER NOT NULL, meter TEXT NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
  dataset TEXT NOT NULL, units INTEGER NOT NULL, PRIMARY KEY (hour, meter, client, operation, dataset)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY) WITHOUT ROWID;`;

/** A count in a SELECT: one above the largest safe integer is read as that. */
export const USED = `min(used, ${Number.MAX_SAFE_INTEGER}) AS used`;

export type UnitTables = ReturnType<typeof prepareUnitTables>;

export function prepareUnitTables(db: DatabaseSync) {
  // A power loss may cost the last units: if each change waited for the disk, everything else would wait, too.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(TABLES);
  ensureFileId(db);
  const used = db.prepare(`SELECT ${USED} FROM units WHERE month = ? AND meter = ?`);
  const state = db.prepare('SELECT state FROM accounts WHERE month = ? AND meter = ?');
  const setUsed = db.prepare(
    `INSERT INTO units (month, meter, used) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET used = excluded.used`,
  );
  const setState = db.prepare(
    `INSERT INTO accounts (month, meter, state) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET state = excluded.state`,
  );

  return {
    ...prepareSpent(db),
    read({ month, meter }: AccountId): StoredAccount {
      const stored = parseJson(String(state.get(month, meter)?.['state'] ?? ''));
      return { ...readState(stored), used: Number(used.get(month, meter)?.['used'] ?? 0) };
    },
    write({ month, meter }: AccountId, account: StoredAccount): void {
      setUsed.run(month, meter, account.used);
      setState.run(month, meter, JSON.stringify(account));
    },
    inTransaction: <T>(task: () => T): T => inTransaction(db, task),
  };
}

/** Gives the file an id; those of files whose counts were added to it stand beside it. Writes nothing if it has one. */
function ensureFileId(db: DatabaseSync): void {
  if (db.prepare('SELECT 1 FROM files').get()) return;
  db.prepare('INSERT INTO files (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM files)').run(
    randomUUID(),
  );
}

/**
 * Caches accounts, which are read many times for each time that they change. Call `forget` with every change: the
 * version of the file shows only what other connections have written.
 */
export function createAccountReader(db: DatabaseSync, tables: Pick<UnitTables, 'read'>) {
  const known = new Map<string, StoredAccount>();
  const version = db.prepare('PRAGMA data_version');
  let seen: unknown;
  return {
    /** Returns the same object as before if nothing has changed. */
    read(id: AccountId): StoredAccount {
      const current = version.get()?.['data_version'];
      if (current !== seen) known.clear();
      seen = current;
      const name = `${id.month} ${id.meter}`;
      const account = known.get(name) ?? tables.read(id);
      known.set(name, account);
      return account;
    },
    forget: () => known.clear(),
  };
}

/** How many months with counters are kept: some may lie in the future, from a clock that was ahead. */
const KEPT_MONTHS = 12;
const KEPT_HOURS = ATTRIBUTION_KEPT_DAYS * 24;

/** Statements for who has spent what. */
function prepareSpent(db: DatabaseSync) {
  const counter = db.prepare(
    'SELECT used FROM counters WHERE month = ? AND meter = ? AND client = ? AND window = ?',
  );
  const addToCounter = db.prepare(
    `INSERT INTO counters (month, meter, client, window, used) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET used = used + excluded.used`,
  );
  const addLine = db.prepare(
    `INSERT INTO spent (hour, meter, client, operation, dataset, units) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET units = units + excluded.units`,
  );
  // Age is counted from the last hour before this one: if the clock is far ahead for a moment, no line is lost.
  const removeLines = db.prepare(
    `DELETE FROM spent WHERE hour < (SELECT max(hour) FROM spent WHERE hour < ?) - ${KEPT_HOURS}`,
  );
  const removeCounters = db.prepare(
    `DELETE FROM counters WHERE month < ?
    AND month NOT IN (SELECT DISTINCT month FROM counters ORDER BY month DESC LIMIT ${KEPT_MONTHS})`,
  );

  return {
    counter: ({ month, meter }: AccountId, { client, window }: CounterId): number =>
      Number(counter.get(month, meter, client, window)?.['used'] ?? 0),
    count({ month, meter }: AccountId, { client, window }: CounterId, units: number): void {
      addToCounter.run(month, meter, client, window, units);
    },
    attribute(meter: Meter, purpose: Purpose, units: number): void {
      const { hour, client, operation, dataset } = purpose;
      addLine.run(hour, meter, client, operation, dataset, units);
    },
    /** Removes what is too old to be of interest; `month`: the earliest one that may still be going on. */
    removeOld(hour: number, month: string): void {
      removeLines.run(hour);
      removeCounters.run(month);
    },
  };
}

const count = z.number();
const writerState = z.object({
  number: count,
  taken: count,
  shares: z.array(count).optional(),
  underWay: count,
  at: count,
});
const storedState = z.compile(
  z.object({
    lastSent: count,
    remaining: count.nullable(),
    balanceAt: count,
    total: count.nullable(),
    timeouts: z.object({ counted: count, free: count }),
    // Not written by processes of an older version.
    lateUntil: count.default(0),
    lateAt: count.default(0),
    unstatedAt: count.default(0),
    compared: z.object({ total: count, counted: count }).optional(),
    isSpentElsewhere: z.boolean(),
    shortSince: count.nullable().default(null),
    closedUntil: count,
    closedAt: count,
    writers: z.record(z.string(), writerState),
  }),
);

/** Reads a stored state, or begins a new one if it cannot be read: only the count itself must not be lost. */
function readState(state: unknown): StoredAccount {
  const { success, data } = storedState.safeParse(state);
  return success ? { ...data, used: 0 } : { ...newAccount(), writers: {} };
}
