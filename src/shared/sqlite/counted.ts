import { DatabaseSync } from 'node:sqlite';
import { METERS } from '../../meters.ts';
import type { Counted } from '../units.ts';
import { checkIntegrity } from './ledger-file.ts';
import { MAX_WAIT_MS } from './start.ts';
import { USED } from './unit-tables.ts';

/** Reads what a ledger file has counted, for a process that goes on counting elsewhere. Writes nothing to the file. */

/** Returns what was counted in one month, by meter. Throws if the file cannot be read, or is damaged. */
export function readCounted(path: string, month: string): Counted[] {
  const db = new DatabaseSync(path, { readOnly: true, timeout: MAX_WAIT_MS });
  try {
    checkIntegrity(db);
    const units = db.prepare(`SELECT ${USED} FROM units WHERE month = ? AND meter = ?`);
    const readCounters = prepareCounters(db);
    return METERS.map((meter) => ({
      id: { month, meter },
      used: Number(units.get(month, meter)?.['used'] ?? 0),
      counters: readCounters(month, meter),
    }));
  } finally {
    db.close();
  }
}

/** The first version had no counters of clients. */
function prepareCounters(db: DatabaseSync) {
  if (!db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'counters'`).get()) return () => [];
  const counters = db.prepare(
    `SELECT client, window, ${USED} FROM counters WHERE month = ? AND meter = ?`,
  );
  return (month: string, meter: string): Counted['counters'] =>
    counters.all(month, meter).map(({ client, window, used }) => ({
      client: String(client),
      window: String(window),
      used: Number(used),
    }));
}
