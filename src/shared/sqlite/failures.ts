/** What an error of SQLite says of the file. */

/** Primary result codes. */
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

/** Whether nobody may write to it, or might when it was opened. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** Whether it is no database, or not a whole one. */
export const isDamage = (error: unknown): boolean => [CORRUPT, NO_DATABASE].includes(codeOf(error));

function codeOf(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  // The upper bits tell more about the same.
  return code & 0xff;
}
