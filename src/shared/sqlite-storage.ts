import type { Clock } from '../time.ts';
import { superfluous } from './asked.ts';
import { askedIn, pack } from './packing.ts';
import type { About, KeptAnswer } from './shared.ts';
import type { SqliteFile } from './sqlite-file.ts';
import type { Row, Tables } from './sqlite-tables.ts';

/** Writes answers to the file: those that come together together, once they are served. */

/** An answer that has come, and whose flight that ends. */
export interface Landed {
  token: string;
  abouts: readonly About[];
  answer: KeptAnswer;
  storedAt: number;
  keepMs: number;
}

export interface StorageOptions {
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

/** No answer takes more of the file than this share. */
const LARGEST_SHARE = 0.25;

/** Stores an answer; resolves when it is stored, or cannot be. */
export function createStorage(options: StorageOptions): (landed: Landed) => Promise<void> {
  const { file, maxBytes, writer, now, whenServed, pause } = options;
  let waiting: Landed[] = [];
  let later: Promise<void> | undefined;

  async function rowsOf({ abouts, answer, storedAt, keepMs }: Landed): Promise<Row[]> {
    const common = { writer, storedAt, goneAt: storedAt + keepMs };
    const rows: Row[] = [];
    for (const { key, asked } of abouts)
      rows.push({ ...common, key, ...(await pack({ ...answer, asked })) });
    return rows.filter(({ body }) => body.length <= maxBytes * LARGEST_SHARE);
  }

  async function store(all: readonly Landed[]): Promise<void> {
    const rows: Row[] = [];
    for (const [i, landed] of all.entries()) {
      // To pack a large answer takes a while.
      if (i > 0) await pause();
      rows.push(...(await rowsOf(landed)));
    }
    await file.insist((tables) => {
      tables.alone(() => {
        for (const { token } of all) tables.endFlight(token);
        for (const row of rows) tables.insert(row);
        for (const key of new Set(rows.map((row) => row.key))) removeSuperfluous(tables, key);
      });
      shrink(tables, maxBytes, now());
    });
  }

  async function storeLater(): Promise<void> {
    await whenServed();
    const all = waiting;
    waiting = [];
    later = undefined;
    await store(all);
  }

  return (landed) => {
    // Another process waits for it.
    if (file.attempt((tables) => tables.isAwaited(landed.token))) return store([landed]);
    waiting.push(landed);
    return (later ??= storeLater());
  };
}

function removeSuperfluous(tables: Tables, key: string): void {
  const heads = tables.heads(key).flatMap(({ number, head }) => {
    const asked = askedIn(head);
    return asked === undefined ? [] : { number, asked };
  });
  for (const { number } of superfluous(heads)) tables.remove(number);
}

/** Removes what is over, and then what is over next, until there is room. */
function shrink(tables: Tables, maxBytes: number, now: number): void {
  tables.removeGone(now);
  while (tables.size() > maxBytes && tables.count() > 1)
    tables.removeFirst(Math.ceil(tables.count() * SHARE_REMOVED));
}

const SHARE_REMOVED = 0.05;
