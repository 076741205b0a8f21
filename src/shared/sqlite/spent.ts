import type { DatabaseSync } from 'node:sqlite';
import { meterNamed } from '../attribution.ts';
import { unreadableError, PORTION_LINES, waitForTurn } from '../reading.ts';
import type { SpentLine } from '../units.ts';

/** Reads who has spent what, from the table `spent` of unit-tables.ts. */

type Row = Record<string, unknown>;
/** The primary key of a row. */
type Key = readonly [hour: number, ...names: string[]];

const NAMES = ['meter', 'client', 'operation', 'dataset'] as const;
const COLUMNS = ['hour', ...NAMES].join(', ');

const keyOf = (row: Row): Key => [Number(row['hour']), ...NAMES.map((name) => String(row[name]))];
/** Returns a key that sorts before all rows of the hour. */
const keyBefore = (hour: number): Key => [hour, ...NAMES.map(() => '')];

/** Returns a function that reads the next portion of rows, up to an hour. */
export function prepareReadRows(db: DatabaseSync) {
  const next = db.prepare(
    `SELECT ${COLUMNS}, units FROM spent WHERE (${COLUMNS}) > (?, ?, ?, ?, ?) AND hour < ?
    ORDER BY ${COLUMNS} LIMIT ${PORTION_LINES}`,
  );
  return (after: Key, to: number): Row[] => next.all(...after, to);
}

type ReadRows = ReturnType<typeof prepareReadRows>;

/**
 * Reads each portion with a statement of its own: one that stayed open in between would keep the log from being written
 * back. `read` throws if the database cannot be used.
 */
export async function* readSpent(
  read: ReadRows,
  from: number,
  to: number,
): AsyncGenerator<readonly SpentLine[]> {
  let rows: Row[] = [];
  for (let after = keyBefore(from); ; after = keyOf(rows[PORTION_LINES - 1]!)) {
    await waitForTurn();
    rows = tryToRead(read, after, to);
    yield rows.flatMap(lineOf);
    if (rows.length < PORTION_LINES) return;
  }
}

function tryToRead(read: ReadRows, after: Key, to: number): Row[] {
  try {
    return read(after, to);
  } catch {
    throw unreadableError();
  }
}

function lineOf(row: Row): SpentLine[] {
  const meter = meterNamed(row['meter']);
  const [hour, units] = [Number(row['hour']), Number(row['units'])];
  // If all units were given back, nothing was spent.
  if (!meter || units === 0) return [];
  const text = (name: string) => String(row[name]);
  const names = { client: text('client'), operation: text('operation'), dataset: text('dataset') };
  return [{ hour, meter, ...names, units }];
}
