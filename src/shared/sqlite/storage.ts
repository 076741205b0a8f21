import type { Clock } from '../../time.ts';
import { MAX_ANSWER_SHARE, pack, findRedundantStored } from '../packing.ts';
import type { Coverage, UpstreamReply } from '../shared.ts';
import type { SqliteFile } from './file.ts';
import type { Row, Tables } from './answer-tables.ts';

/** Writes answers to the file once they have been served; those that arrive together are written together. */

/** An answer that has arrived, and the flight that it ends. */
export interface Landed {
  token: string;
  coverages: readonly Coverage[];
  answer: UpstreamReply;
  storedAt: number;
  keepMs: number;
}

interface StorageOptions {
  file: SqliteFile;
  /** Maximum size of the file, in bytes. */
  maxBytes: number;
  writer: string;
  now: Clock;
  /** Resolves when callers in this process that wait for answers have been served. */
  whenServed: () => Promise<void>;
  /** Lets other work run in between. */
  pause: () => Promise<unknown>;
  /** Lets time pass, in milliseconds. */
  sleep: (ms: number) => Promise<unknown>;
}

/**
 * Maximum length of bodies packed and written at a stretch: meanwhile this process does nothing else, and other
 * processes wait for the file.
 */
const MAX_PORTION_LENGTH = 524_288;
/** After how long a file that could not be used is tried once more. */
const TRY_AGAIN_MS = 1100;

/** Returns a function that stores an answer, and resolves when it is stored, or cannot be. */
export function createStorage(options: StorageOptions): (landed: Landed) => Promise<void> {
  const { file, maxBytes, writer, now, whenServed, pause, sleep } = options;
  const waiting: Landed[] = [];
  let underWay: Promise<void> | undefined;
  let hurry = () => {};

  async function rowsOf({ coverages, answer, storedAt, keepMs }: Landed): Promise<Row[]> {
    const common = { writer, storedAt, goneAt: storedAt + keepMs };
    const rows: Row[] = [];
    for (const { key, asked } of coverages)
      rows.push({ ...common, key, ...(await pack({ ...answer, asked })) });
    return rows.filter(({ body }) => body.length <= maxBytes * MAX_ANSWER_SHARE);
  }

  /** Returns whether they are stored. */
  async function store(all: readonly Landed[]): Promise<boolean> {
    const rows: Row[] = [];
    for (const landed of all) rows.push(...(await rowsOf(landed)));
    const write = (tables: Tables) => {
      for (const { token } of all) tables.endFlight(token);
      for (const row of rows) tables.insert(row);
      for (const key of new Set(rows.map((row) => row.key))) removeRedundant(tables, key);
      return true;
    };
    const isStored = await file.insist((t) => t.inTransaction(() => write(t)), 'write much');
    // On its own: if it finds the file locked, the answers must not be stored again.
    if (isStored) await file.insist((tables) => shrink(tables, maxBytes, now()), 'write much');
    return isStored ?? false;
  }

  /** Takes answers in the order in which they came: of two about the same, the later one counts. */
  function takePortion(): Landed[] {
    let length = 0;
    const end = waiting.findIndex(
      ({ answer }) => (length += answer.body.length) > MAX_PORTION_LENGTH,
    );
    return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end));
  }

  async function storeAll(): Promise<void> {
    const { promise: awaited, resolve } = Promise.withResolvers<void>();
    hurry = resolve;
    await Promise.race([whenServed(), awaited]);
    let mayTryAgain = true;
    while (waiting.length > 0) {
      const portion = takePortion();
      // What cannot be stored can be asked for again.
      const isStored = await store(portion).catch(() => false);
      if (!isStored && mayTryAgain) {
        mayTryAgain = false;
        waiting.unshift(...portion);
        await sleep(TRY_AGAIN_MS);
      } else if (waiting.length > 0) await pause();
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

function removeRedundant(tables: Tables, key: string): void {
  for (const { number } of findRedundantStored(tables.heads(key))) tables.remove(number);
}

const REMOVED_SHARE = 0.05;

/** Removes answers that have expired, then those that expire next, until there is room. */
function shrink(tables: Tables, maxBytes: number, now: number): void {
  tables.removeGone(now);
  while (tables.size() > maxBytes && tables.count() > 1)
    tables.removeFirst(Math.ceil(tables.count() * REMOVED_SHARE));
}
