import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { Clock } from '../time.ts';
import { type Account, compareWithBalance, newAccount, noteEnd, take } from './account.ts';
import { alone } from './sqlite-transaction.ts';
import type { AccountId, Applied, Change, UnitStore } from './units.ts';

/** Units counted in a SQLite file, or in memory: by the processes of one machine. */

export interface SqliteUnitsOptions {
  /** `:memory:` for none. */
  path: string;
  now: Clock;
  onTrouble: UnitsTrouble;
}

interface UnitsTrouble {
  /** Called once when the file cannot be used for longer than a moment, with the reason. */
  begins(reason: string): void;
  /** Called when it can be used again. */
  ends(): void;
}

/** A statement that finds the file locked waits no longer: everybody else waits meanwhile. */
const BUSY_MS = 2;
/** The same at start and at the end, when nobody is served. */
const PATIENT_MS = 2000;
/** Failures of a moment are told to nobody. */
const PATIENCE = 2;
/** Who has said nothing for so long has no request under way. */
const DEAD_AFTER_MS = 120_000;

/** An account as it is stored, but `used`, which has a column of its own. */
interface Stored extends Account {
  writers: Record<string, Writer>;
}

interface Writer {
  /** The number of its last change, and what that has taken. */
  number: number;
  taken: number;
  underWay: number;
  at: number;
}

/** Throws where the file cannot be opened. */
export function unitsInSqlite({ path, now, onTrouble }: SqliteUnitsOptions): UnitStore {
  const db = new DatabaseSync(path, { timeout: PATIENT_MS });
  const tables = prepareTables(db);
  setPatience(db, BUSY_MS);
  const writer = randomUUID();
  let failures = 0;

  function noteFailure(error: unknown): undefined {
    failures += 1;
    if (failures === PATIENCE) onTrouble.begins(String(error));
  }

  function noteSuccess(): void {
    if (failures >= PATIENCE) onTrouble.ends();
    failures = 0;
  }

  function change(id: AccountId, made: Change): Applied {
    const stored = tables.read(id);
    const last = stored.writers[writer];
    const applied =
      last?.number === made.number
        ? { taken: last.taken, elsewhere: 0 }
        : applyChange(stored, writer, made, now());
    tables.write(id, stored);
    return { ...applied, account: stored, advance: 0, waitMs: undefined };
  }

  return {
    patience: PATIENCE,
    beatMs: undefined,
    apply(id, made) {
      try {
        const applied = tables.alone(() => change(id, made));
        noteSuccess();
        return applied;
      } catch (error) {
        return noteFailure(error);
      }
    },
    read(id) {
      try {
        return tables.read(id);
      } catch {
        return undefined;
      }
    },
    beginClose: () => setPatience(db, PATIENT_MS),
    close: () => db.isOpen && db.close(),
  };
}

function applyChange(account: Stored, writer: string, change: Change, now: number) {
  for (const ended of change.ended) noteEnd(account, ended, now);
  account.used += change.spent;
  const { [writer]: _own, ...others } = livingWriters(account, now);
  const underWay = Object.values(others).reduce((sum, one) => sum + one.underWay, change.underWay);
  const isStated = change.ended.some(({ remaining }) => remaining !== undefined);
  const elsewhere = isStated && underWay === 0 ? compareWithBalance(account) : 0;
  const taken = take(account, { ...change, units: change.take }, now);
  const own = { number: change.number, taken, underWay: change.underWay + taken, at: now };
  account.writers = { ...others, [writer]: own };
  return { taken, elsewhere };
}

function livingWriters({ writers }: Stored, now: number): Record<string, Writer> {
  const living = Object.entries(writers).filter(([, { at }]) => now - at < DEAD_AFTER_MS);
  return Object.fromEntries(living);
}

/** How long a statement waits for a lock of another process; meanwhile this process does nothing else. */
function setPatience(db: DatabaseSync, ms: number): void {
  if (db.isOpen) db.exec(`PRAGMA busy_timeout = ${ms}`);
}

/** The SQL: one row for each month and meter. Every function throws where the database cannot be used. */
function prepareTables(db: DatabaseSync) {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  // Processes of an older version know `units` only, and count there, too.
  db.exec(
    `CREATE TABLE IF NOT EXISTS units (
      month TEXT NOT NULL, meter TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (month, meter)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS accounts (
      month TEXT NOT NULL, meter TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (month, meter)
    ) WITHOUT ROWID`,
  );
  // Numbers that JavaScript cannot hold are read as the largest that it can.
  const used = db.prepare(
    `SELECT min(used, ${Number.MAX_SAFE_INTEGER}) AS used FROM units WHERE month = ? AND meter = ?`,
  );
  const state = db.prepare('SELECT state FROM accounts WHERE month = ? AND meter = ?');
  const setUsed = db.prepare('INSERT OR REPLACE INTO units VALUES (?, ?, ?)');
  const setState = db.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?)');

  return {
    read({ month, meter }: AccountId): Stored {
      const stored = parseJson(String(state.get(month, meter)?.['state'] ?? ''));
      return { ...readState(stored), used: Number(used.get(month, meter)?.['used'] ?? 0) };
    },
    write({ month, meter }: AccountId, account: Stored): void {
      setUsed.run(month, meter, account.used);
      setState.run(month, meter, JSON.stringify(account));
    },
    alone: <T>(task: () => T): T => alone(db, task),
  };
}

const count = z.number();
const writerState = z.object({ number: count, taken: count, underWay: count, at: count });
const storedState = z.compile(
  z.object({
    lastSent: count,
    remaining: count.nullable(),
    balanceAt: count,
    total: count.nullable(),
    timeouts: z.object({ counted: count, free: count }),
    isSpentElsewhere: z.boolean(),
    closedUntil: count,
    closedAt: count,
    writers: z.record(z.string(), writerState),
  }),
);

/** What cannot be read is not known: only the count itself must not be lost. */
function readState(state: unknown): Stored {
  const { success, data } = storedState.safeParse(state);
  return success ? { ...data, used: 0 } : { ...newAccount(), writers: {} };
}
