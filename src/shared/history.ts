import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { alone } from './sqlite-transaction.ts';
import { type HourRows, sumOf } from './hour-rows.ts';
import { script, type Server } from './server.ts';
import { readHash } from './valkey-hash.ts';

/**
 * Rows of numbers by hour, to which all processes add: what the governor of each meter learns from
 * (src/spending, under the meter's name), and what the console tells (src/observe/tallies.ts). Losing a
 * little of them costs nothing.
 */
export interface History {
  /** Adds to a row of an hour (hours since 1970), element by element. */
  add(name: string, hour: number, values: readonly number[]): void;
  /** All rows since an hour. Rejects, or throws, where they cannot be read now. */
  read(name: string, fromHour: number): HourRows | Promise<HourRows>;
  /** Writes what is left to write. */
  flush(): void;
}

/** Five weeks are learnt from; some days more are kept. */
const KEPT_HOURS = 40 * 24;
/** What is added within so long is written together. */
const WRITE_AFTER_MS = 1000;

export function historyInSqlite(db: DatabaseSync): History {
  db.exec(
    `CREATE TABLE IF NOT EXISTS history (
      meter TEXT NOT NULL, hour INTEGER NOT NULL, numbers TEXT NOT NULL, PRIMARY KEY (meter, hour)
    ) WITHOUT ROWID`,
  );
  const one = db.prepare('SELECT numbers FROM history WHERE meter = ? AND hour = ?');
  const since = db.prepare('SELECT hour, numbers FROM history WHERE meter = ? AND hour >= ?');
  const set = db.prepare('INSERT OR REPLACE INTO history VALUES (?, ?, ?)');
  const removeOld = db.prepare('DELETE FROM history WHERE meter = ? AND hour < ?');

  function write(name: string, hour: number, values: readonly number[]): void {
    const stored = readRow(String(one.get(name, hour)?.['numbers'] ?? ''));
    set.run(name, hour, JSON.stringify(sumOf(stored, values)));
    removeOld.run(name, hour - KEPT_HOURS);
  }

  return {
    ...together((name, hour, values) => alone(db, () => write(name, hour, values))),
    read: (name, fromHour) =>
      new Map(
        since
          .all(name, fromHour)
          .map((row) => [Number(row['hour']), readRow(String(row['numbers']))]),
      ),
  };
}

/** KEYS: rows by hour. ARGV: hour, values as JSON, the oldest hour that is kept. */
const ADD = script(
  `
local added = cjson.decode(ARGV[2])
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored then
  for i, value in ipairs(cjson.decode(stored)) do added[i] = (added[i] or 0) + value end
else
  for _, hour in ipairs(redis.call('HKEYS', KEYS[1])) do
    if tonumber(hour) < tonumber(ARGV[3]) then redis.call('HDEL', KEYS[1], hour) end
  end
end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(added))`,
  'allow-oom',
);

export function historyInValkey({ server, base }: { server: Server; base: string }): History {
  const keyOf = (name: string) => `${base}history:${name}`;
  return {
    ...together((name, hour, values) => {
      const args = [hour, JSON.stringify(values), hour - KEPT_HOURS];
      void server.run(ADD, [keyOf(name)], args);
    }),
    async read(name, fromHour) {
      const stored = await readHash(server, keyOf(name));
      if (!stored) throw new Error('the rows cannot be read now');
      const rows = stored.map(([hour, text]) => [Number(hour), readRow(text)] as const);
      return new Map(rows.filter(([hour]) => hour >= fromHour));
    },
  };
}

/** Writes what is added within a moment as one row. */
function together(write: (name: string, hour: number, values: readonly number[]) => void) {
  const waiting = new Map<string, Map<number, readonly number[]>>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [name, rows] of waiting)
      for (const [hour, values] of rows)
        if (isWritten(() => write(name, hour, values))) rows.delete(hour);
  }

  return {
    add(name: string, hour: number, values: readonly number[]): void {
      const rows = waiting.get(name) ?? new Map<number, readonly number[]>();
      waiting.set(name, rows);
      rows.set(hour, sumOf(rows.get(hour), values));
      timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
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

const numbers = z.array(z.number());
const readRow = (text: string): readonly number[] => numbers.safeParse(parseJson(text)).data ?? [];
