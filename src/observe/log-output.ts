import { hostname } from 'node:os';
import pino, { type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.ts';

/** Where lines of the log go: to the standard output, for people in a terminal, else as JSON. */

/** Lines wait for others, since writing one takes longer than making it; but not for long. */
const WRITE_LENGTH = 65_536;
const WRITE_MS = 100;
/** What nobody reads is worth no more memory: lines beyond it are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export const createLog = (level: string): Logger => openOutput().logger(level);

/** Takes the lines of several processes, each line as a whole. */
export interface Output {
  /** Whether people read it: lines then say nothing of the process. */
  isTerminal: boolean;
  logger(level: string): Logger;
  /** `lines` as a logger writes them, each with its end. */
  write(lines: string): void;
}

/** The standard output. To be called once. */
export function openOutput(): Output {
  const isTerminal = process.stdout.isTTY;
  const to = isTerminal ? terminal() : gathered(process.stdout.fd);
  const logger = (level: string) => pino({ level, ...(isTerminal && { base: null }) }, to);
  return { isTerminal, logger, write: (lines) => to.write(lines) };
}

/** Of a worker: its lines go through the process that leads it, and tell which one it is. */
export function createWorkerLog(level: string, worker: number, isTerminal: boolean): Logger {
  const base = isTerminal ? { worker } : { pid: process.pid, hostname: hostname(), worker };
  return pino({ level, base }, gathered(process.stdout.fd));
}

const terminal = (): DestinationStream => ({
  write: (lines) =>
    void process.stdout.write(
      lines
        .split(/(?<=\n)/)
        .map(pretty)
        .join(''),
    ),
});

/**
 * Nothing waits until lines are written. Those that still wait are written when the process ends, also by an
 * exception that nobody catches; one that is killed loses those of the last tenth of a second.
 */
function gathered(to: string | number): DestinationStream {
  let waiting = '';
  const write = () => {
    if (waiting) output.write(waiting);
    waiting = '';
  };
  // Before the destination's own listener, after which it takes nothing more.
  process.on('beforeExit', write);
  const output = pino.destination({ dest: to, sync: false, maxLength: MAX_WAITING_BYTES });
  setInterval(write, WRITE_MS).unref();
  process.on('exit', () => {
    write();
    output.flushSync();
  });
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= WRITE_LENGTH) write();
    },
  };
}
