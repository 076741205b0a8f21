import type { Clock } from '../../time.ts';
import { LARGEST_SHARE, pack, superfluousOf } from '../packing.ts';
import type { About, UpstreamReply } from '../shared.ts';
import type { SqliteFile } from './file.ts';
import type { Row, Tables } from './answer-tables.ts';

/** Writes answers to the file: those that come together together, once they are served. */

/** An answer that has come, and whose flight that ends. */
export interface Landed {
  token: string;
  abouts: readonly About[];
  answer: UpstreamReply;
  storedAt: number;
  keepMs: number;
}

interface StorageOptions {
  file: SqliteFile<Tables>;
  /** How large the file may grow. */
  maxBytes: number;
  writer: string;
  now: Clock;
  /** Resolves when those are served who wait for answers in this process. */
  whenServed: () => Promise<void>;
  /** Lets others run in between. */
  pause: () => Promise<unknown>;
}

/** So much is packed and written at a stretch: all else waits meanwhile, other processes for the file, too. */
const PORTION_LENGTH = 524_288;

/** Stores an answer; resolves when it is stored, or cannot be. */
export function createStorage(options: StorageOptions): (landed: Landed) => Promise<void> {
  const { file, maxBytes, writer, now, whenServed, pause } = options;
  const waiting: Landed[] = [];
  let underWay: Promise<void> | undefined;
  let hurry = () => {};

  async function rowsOf({ abouts, answer, storedAt, keepMs }: Landed): Promise<Row[]> {
    const common = { writer, storedAt, goneAt: storedAt + keepMs };
    const rows: Row[] = [];
    for (const { key, asked } of abouts)
      rows.push({ ...common, key, ...(await pack({ ...answer, asked })) });
    return rows.filter(({ body }) => body.length <= maxBytes * LARGEST_SHARE);
  }

  async function store(all: readonly Landed[]): Promise<void> {
    const rows: Row[] = [];
    for (const landed of all) rows.push(...(await rowsOf(landed)));
    await file.insist((tables) => {
      tables.inTransaction(() => {
        for (const { token } of all) tables.endFlight(token);
        for (const row of rows) tables.insert(row);
        for (const key of new Set(rows.map((row) => row.key))) removeSuperfluous(tables, key);
      });
      shrink(tables, maxBytes, now());
    }, 'write much');
  }

  /** In the order in which they came: of two about the same the later one counts. */
  function takePortion(): Landed[] {
    let length = 0;
    const end = waiting.findIndex(({ answer }) => (length += answer.body.length) > PORTION_LENGTH);
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end));
  }

  async function storeAll(): Promise<void> {
    const { promise: awaited, resolve } = Promise.withResolvers<void>();
    hurry = resolve;
    await Promise.race([whenServed(), awaited]);
    while (waiting.length > 0) {
      // What cannot be stored can be asked for again.
      await store(takePortion()).catch(() => undefined);
      if (waiting.length > 0) await pause();
    }
    underWay = undefined;
  }

  return (landed) => {
    waiting.push(landed);
    underWay ??= storeAll();
    // Another process waits for it.
    if (file.attempt((tables) => tables.isAwaited(landed.token))) hurry();
    return underWay;
  };
}

function removeSuperfluous(tables: Tables, key: string): void {
  for (const { number } of superfluousOf(tables.heads(key))) tables.remove(number);
}

const SHARE_REMOVED = 0.05;

/** Removes answers that have expired, then those that expire next, until there is room. */
function shrink(tables: Tables, maxBytes: number, now: number): void {
  tables.removeGone(now);
  while (tables.size() > maxBytes && tables.count() > 1)
    tables.removeFirst(Math.ceil(tables.count() * SHARE_REMOVED));
}
