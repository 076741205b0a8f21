import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './transaction.ts';

/**
 * The SQL of the state that the processes of one machine share. Every function throws if the file fails. Statements
 * name their columns, since a later version may have added some.
 */

export type Tables = ReturnType<typeof prepareTables>;

/** An answer as stored: `head` is JSON, `body` may be compressed. */
export interface Row {
  key: string;
  head: string;
  body: Uint8Array;
  /** The process that stores it. */
  writer: string;
  storedAt: number;
  /** From then on it is not read any more, and may be removed; in milliseconds since 1970. */
  goneAt: number;
}

interface StoredRow {
  number: number;
  head: string;
  body: Uint8Array;
  storedAt: number;
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, head TEXT NOT NULL,
    body BLOB NOT NULL, writer TEXT NOT NULL, stored_at INTEGER NOT NULL, gone_at INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS answers_by_key ON answers (key, number);
  CREATE INDEX IF NOT EXISTS answers_by_end ON answers (gone_at);
  CREATE TABLE IF NOT EXISTS flights (
    token TEXT PRIMARY KEY, key TEXT NOT NULL, asked TEXT NOT NULL, until INTEGER NOT NULL,
    awaited INTEGER NOT NULL DEFAULT 0, began INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS flights_by_key ON flights (key);
  CREATE TABLE IF NOT EXISTS wants (key TEXT NOT NULL, asked TEXT NOT NULL, until INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS wants_by_key ON wants (key);
  CREATE TABLE IF NOT EXISTS notes (
    topic TEXT NOT NULL, writer TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (topic, writer)
  ) WITHOUT ROWID`;

export function prepareTables(db: DatabaseSync) {
  db.exec(TABLES);
  ensureBegan(db);
  const statement = (sql: string) => db.prepare(sql);
  const stored = 'SELECT number, head, body, stored_at FROM answers WHERE key = ? AND gone_at > ?';
  const all = statement(`${stored} ORDER BY number`);
  const others = statement(`${stored} AND number > ? AND writer <> ? ORDER BY number`);
  const heads = statement('SELECT number, head FROM answers WHERE key = ? ORDER BY number DESC');
  // SQLite tells the length of a body without reading it, but must read it to get to `gone_at`, which is stored behind
  // it. The index of `gone_at` spares that.
  const latest = statement(
    `SELECT key, length(body) AS bytes FROM answers
    WHERE number NOT IN (SELECT number FROM answers WHERE gone_at <= ?) ORDER BY number DESC LIMIT ?`,
  );
  // Numbers start at the time in microseconds, so that those of a new file are above all of the previous one.
  const insert = statement(
    `INSERT INTO answers (number, key, head, body, writer, stored_at, gone_at)
    SELECT max(? * 1000, 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'answers'), 0)), ?, ?, ?, ?, ?, ?`,
  );
  const remove = statement('DELETE FROM answers WHERE number = ?');
  const removeGone = statement('DELETE FROM answers WHERE gone_at <= ?');
  const removeDead = statement('DELETE FROM flights WHERE until <= ?');
  const removeFirst = statement(
    'DELETE FROM answers WHERE number IN (SELECT number FROM answers ORDER BY gone_at LIMIT ?)',
  );
  const count = statement('SELECT count(*) AS n FROM answers');
  const pages = statement(
    'SELECT (page_count - freelist_count) * page_size AS n FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  const flightsOf = statement('SELECT token, asked, until, began FROM flights WHERE key = ?');
  const addFlight = statement(
    'INSERT INTO flights (token, key, asked, began, until) VALUES (?, ?, ?, ?, ?)',
  );
  const endFlight = statement('DELETE FROM flights WHERE token = ?');
  const wants = statement('SELECT rowid, asked FROM wants WHERE key = ? AND until > ?');
  const addWant = statement('INSERT INTO wants (key, asked, until) VALUES (?, ?, ?)');
  const removeWant = statement('DELETE FROM wants WHERE rowid = ?');
  const removeOldWants = statement('DELETE FROM wants WHERE until <= ?');
  const awaitFlight = statement('UPDATE flights SET awaited = 1 WHERE token = ?');
  const flight = statement('SELECT awaited FROM flights WHERE token = ?');
  const addNote = statement(
    `INSERT INTO notes (topic, writer, text, at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET text = excluded.text, at = excluded.at`,
  );
  const dropNotes = statement('DELETE FROM notes WHERE at < ?');
  const notes = statement(
    'SELECT text FROM notes WHERE topic = ? AND writer <> ? AND at >= ? AND at <= ?',
  );
  const number = (sql: ReturnType<typeof statement>) => Number(sql.get()?.['n']);

  return {
    /** Returns answers that are not past their end at `now`; with `after`, only later ones of other writers. */
    read(key: string, after: number | undefined, writer: string, now: number): StoredRow[] {
      const found = after === undefined ? all.all(key, now) : others.all(key, now, after, writer);
      return found.map((row) => ({
        number: Number(row['number']),
        head: String(row['head']),
        body: bytesOf(row['body']),
        storedAt: Number(row['stored_at']),
      }));
    },
    /** Newest first. */
    heads: (key: string) =>
      heads.all(key).map((row) => ({ number: Number(row['number']), head: String(row['head']) })),
    /** The last `rows` answers that are not past their end at `now`, latest first. */
    latest: (rows: number, now: number) =>
      latest
        .all(now, rows)
        .map((row) => ({ key: String(row['key']), bytes: Number(row['bytes']) })),
    insert: ({ key, head, body, writer, storedAt, goneAt }: Row) =>
      void insert.run(storedAt, key, head, body, writer, storedAt, goneAt),
    remove: (row: number) => void remove.run(row),
    removeGone(now: number) {
      removeGone.run(now);
      removeDead.run(now);
      removeOldWants.run(now);
    },
    /** Removes the `rows` answers that expire first. */
    removeFirst: (rows: number) => void removeFirst.run(rows),
    count: () => number(count),
    /** Bytes in use in the file. */
    size: () => number(pages),
    flightsOf: (key: string) =>
      flightsOf.all(key).map((row) => ({
        token: String(row['token']),
        asked: String(row['asked']),
        /** Undefined if a process of the version before has added it. */
        began: row['began'] === null ? undefined : Number(row['began']),
        until: Number(row['until']),
      })),
    addFlight: (token: string, key: string, asked: string, began: number, until: number) =>
      void addFlight.run(token, key, asked, began, until),
    endFlight: (token: string) => void endFlight.run(token),
    /** Adds what was claimed in vain because of a flight, which lasts until `until` at most. */
    addWant: (key: string, asked: string, until: number) => void addWant.run(key, asked, until),
    wants: (key: string, now: number) =>
      wants
        .all(key, now)
        .map((row) => ({ row: Number(row['rowid']), asked: String(row['asked']) })),
    removeWant: (row: number) => void removeWant.run(row),
    awaitFlight: (token: string) => void awaitFlight.run(token),
    isAwaited: (token: string) => flight.get(token)?.['awaited'] === 1,
    isUnderWay: (token: string) => flight.get(token) !== undefined,
    /** Replaces the writer's note, and drops those from before `since`. */
    note(topic: string, writer: string, text: string, at: number, since: number) {
      addNote.run(topic, writer, text, at);
      dropNotes.run(since);
    },
    notes: (topic: string, writer: string, since: number, until: number) =>
      notes.all(topic, writer, since, until).map((row) => String(row['text'])),
    /** Runs `task` in a transaction: all of it is written, or nothing. */
    inTransaction: <T>(task: () => T): T => inTransaction(db, task),
  };
}

/** Adds the column `began`, which the version before did not have. Another process may do so at the same time. */
function ensureBegan(db: DatabaseSync): void {
  const columns = db.prepare("SELECT 1 FROM pragma_table_info('flights') WHERE name = 'began'");
  if (columns.get()) return;
  inTransaction(db, () => columns.get() || db.exec('ALTER TABLE flights ADD COLUMN began INTEGER'));
}

const bytesOf = (value: unknown) => (value instanceof Uint8Array ? value : new Uint8Array());
