import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../../json.ts';
import type { Meter } from '../../meters.ts';
import { type Account, newAccount } from '../account.ts';
import { ATTRIBUTED_DAYS } from '../attribution.ts';
import { inTransaction } from './transaction.ts';
import type { AccountId, CounterId, Purpose } from '../units.ts';

/**
 * The SQL of the ledger. Every function throws where the database cannot be used. Statements name their columns, and
 * leave others as they are: a later version that shares the file may have added some.
 */

/** An account as it is stored. Its `used` is that of another table. */
export interface StoredAccount extends Account {
  writers: Record<string, Writer>;
}

/** What a process has said last. */
export interface Writer {
  /** The number of its last change. */
  number: number;
  /** For processes of an older version, which need it to read the row. */
  taken: number;
  /** How many of the requests that each taker wanted it has paid. */
  shares?: readonly number[] | undefined;
  underWay: number;
  at: number;
}

// `used` stays in the table `units`, so that processes of an older version that run beside this one count in the same row.
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

export type UnitTables = ReturnType<typeof prepareUnitTables>;

export function prepareUnitTables(db: DatabaseSync) {
  // A loss of power may cost the last units: everybody would wait if each change waited for the disk.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec(TABLES);
  nameFile(db);
  // Numbers that JavaScript cannot hold are read as the largest that it can.
  const used = db.prepare(
    `SELECT min(used, ${Number.MAX_SAFE_INTEGER}) AS used FROM units WHERE month = ? AND meter = ?`,
  );
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

/** A name for the file, beside which those stand whose counts were added to it. Who only reads it writes nothing. */
function nameFile(db: DatabaseSync): void {
  if (db.prepare('SELECT 1 FROM files').get()) return;
  db.prepare('INSERT INTO files (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM files)').run(
    randomUUID(),
  );
}

/**
 * Reads accounts that are looked at many times for each time that they change. Call `forget` with every change: the
 * number of the file's version tells what other connections have written, and nothing of this one's.
 */
export function createAccountReader(db: DatabaseSync, tables: Pick<UnitTables, 'read'>) {
  const known = new Map<string, StoredAccount>();
  const version = db.prepare('PRAGMA data_version');
  let seen: unknown;
  return {
    /** The same object as before where nothing has changed. */
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

/** Of months with counters: some may be months to come, of a clock that was ahead. */
const KEPT_MONTHS = 12;
const KEPT_HOURS = ATTRIBUTED_DAYS * 24;

/** Who has spent what. */
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
  // A clock that is far ahead for a moment has counted in a month to come by now: what was present before that stays.
  const removeLines = db.prepare(
    `DELETE FROM spent WHERE hour < ? - ${KEPT_HOURS}
    AND hour < (SELECT max(hour) FROM spent WHERE hour < ?) - ${KEPT_HOURS}`,
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
    /** Removes what is older than anybody wants to know; `month`: the one that goes on. */
    removeOld(hour: number, month: string): void {
      removeLines.run(hour, hour);
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
    // Processes of an older version do not write them.
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

/** What cannot be read is not known: only the count itself must not be lost. */
function readState(state: unknown): StoredAccount {
  const { success, data } = storedState.safeParse(state);
  return success ? { ...data, used: 0 } : { ...newAccount(), writers: {} };
}
