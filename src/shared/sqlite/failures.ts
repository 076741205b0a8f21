/** What an SQLite error says about the file. */

/** Primary result codes of SQLite. */
const BUSY = 5;
const READ_ONLY = 8;
const CORRUPT = 11;
const NO_DATABASE = 26;

/** Damage for which SQLite throws no error of its own. */
export class DamagedFile extends Error {
  readonly errcode = CORRUPT;
}

/** Whether another process has locked it. */
export const isLocked = (error: unknown): boolean => codeOf(error) === BUSY;

/** Whether the file is read-only, or was when it was opened. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether the file is not a database, or is damaged. */
export const isDamage = (error: unknown): boolean => [CORRUPT, NO_DATABASE].includes(codeOf(error));

function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // The upper bits only add details.
  return code & 0xff;
}
