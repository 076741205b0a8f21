import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { type Meter, METERS } from '../meters.ts';
import { alone } from './sqlite-transaction.ts';
import { script, type Server } from './server.ts';

/**
 * Rows of numbers by hour, to which all processes add: what the governor of each meter learns from
 * (src/spending). Losing a little of them costs nothing.
 */
export interface History {
  /** Adds to the row of an hour (hours since 1970), element by element. */
  add(meter: Meter, hour: number, values: readonly number[]): void;
  /** All rows since an hour. Rejects, or throws, where they cannot be read now. */
  read(meter: Meter, fromHour: number): Rows | Promise<Rows>;
  /** Writes what is left to write. */
  flush(): void;
}

type Rows = ReadonlyMap<number, readonly number[]>;

/** Five weeks are enough to know the days of a week by. */
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

  function write(meter: Meter, hour: number, values: readonly number[]): void {
    const stored = readRow(String(one.get(meter, hour)?.['numbers'] ?? ''));
    set.run(meter, hour, JSON.stringify(sumOf(stored, values)));
    removeOld.run(meter, hour - KEPT_HOURS);
  }

  return {
    ...together((meter, hour, values) => alone(db, () => write(meter, hour, values))),
    read: (meter, fromHour) =>
      new Map(
        since
          .all(meter, fromHour)
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
const READ = script(`return redis.call('HGETALL', KEYS[1])`, 'no-writes');

export function historyInValkey({ server, base }: { server: Server; base: string }): History {
  const keyOf = (meter: Meter) => `${base}history:${meter}`;
  return {
    ...together((meter, hour, values) => {
      const args = [hour, JSON.stringify(values), hour - KEPT_HOURS];
      void server.run(ADD, [keyOf(meter)], args);
    }),
    async read(meter, fromHour) {
      const stored = fields.parse(await server.run(READ, [keyOf(meter)], []));
      const rows = new Map<number, readonly number[]>();
      for (let i = 0; i < stored.length; i += 2)
        if (Number(stored[i]) >= fromHour) rows.set(Number(stored[i]), readRow(stored[i + 1]!));
      return rows;
    },
  };
}

/** Writes what is added within a moment as one row. */
function together(write: (meter: Meter, hour: number, values: readonly number[]) => void) {
  const waiting = new Map<Meter, Map<number, readonly number[]>>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const meter of METERS)
      for (const [hour, values] of waiting.get(meter) ?? [])
        attempt(() => write(meter, hour, values));
    waiting.clear();
  }

  return {
    add(meter: Meter, hour: number, values: readonly number[]): void {
      const rows = waiting.get(meter) ?? new Map<number, readonly number[]>();
      waiting.set(meter, rows);
      rows.set(hour, sumOf(rows.get(hour) ?? [], values));
      timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

/** While the file cannot be written, less is learnt. */
function attempt(task: () => void): void {
  try {
    task();
  } catch {
    // The ledger, which is in the same file, tells of it.
  }
}

function sumOf(a: readonly number[], b: readonly number[]): readonly number[] {
  const longer = a.length > b.length ? a : b;
  return longer.map((_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}

const numbers = z.array(z.number());
const readRow = (text: string): readonly number[] => numbers.safeParse(parseJson(text)).data ?? [];
const fields = z.array(z.union([z.string(), z.instanceof(Buffer).transform(String)]));
