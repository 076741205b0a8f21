import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';

/** The file of kept answers, as another process sees it. */

export const fileIn = (folder: string): string => join(folder, 'shared.sqlite');

export const otherProcess = (folder: string): DatabaseSync =>
  new DatabaseSync(fileIn(folder), { timeout: 1000 });

function numberIn(folder: string, expression: string): number {
  const db = otherProcess(folder);
  try {
    return Number(db.prepare(`SELECT ${expression} AS n FROM answers`).get()?.['n']);
  } finally {
    db.close();
  }
}

export const rows = (folder: string): number => numberIn(folder, 'count(*)');

/** Returns the number of the answer that was stored last, or 0. */
export const newest = (folder: string): number => numberIn(folder, 'max(number)');

export function forgetRows(folder: string): void {
  const db = otherProcess(folder);
  db.exec('DELETE FROM answers');
  db.close();
}

/** Adds a claim of a process that has died since, as the version before wrote it. */
export function addDeadFlight(db: DatabaseSync, key: string, until: number): void {
  db.prepare('INSERT INTO flights (token, key, asked, until) VALUES (?, ?, ?, ?)').run(
    `dead ${key}`,
    key,
    'null',
    until,
  );
}

/** Waits until `count` answers are stored: they are written after they have been served. */
export async function stored(folder: string, count: number): Promise<void> {
  await expect.poll(() => rows(folder)).toBe(count);
}
