import { execFileSync } from 'node:child_process';

const COMMAND = 'mkfifo';

/** Makes a named pipe: who reads it waits until somebody writes. */
export const makePipe = (path: string): void => void execFileSync(COMMAND, [path]);
