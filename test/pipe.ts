import { execFileSync } from 'node:child_process';

const COMMAND = 'mkfifo';

/** Makes a named pipe: reading it blocks until somebody writes. */
export const makePipe = (path: string): void => void execFileSync(COMMAND, [path]);
