import { hostname } from 'node:os';
import pino, { type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.ts';

/** Where lines of the log go: to the standard output, for people in a terminal, else as JSON. */

/** Lines wait for others, since writing one takes longer than making it; but not for long. */
const WRITE_LENGTH = 65_536;
const WRITE_MS = 100;
/** A write that has begun when the process ends gets so long. */
const LAST_WRITE_MS = 200;
/** What nobody reads is worth no more memory: lines beyond it are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export function createLog(level: string): Logger {
  if (process.stdout.isTTY) return pino({ level, base: null }, terminal());
  const output = gathered(process.stdout.fd);
  const base = { pid: process.pid, hostname: hostname() };
  const log = pino({ level, base }, output);
  lineWriters.set(log, createLineWriter(base, output));
  return log;
}

/** Writes a line at level info of which all but the time is JSON text already: `,"name":value` for each field. */
export type WriteLine = (fields: string) => void;

const lineWriters = new WeakMap<Logger, WriteLine>();

/** Faster than the logger, for lines of which there are most; undefined where a logger is none of `createLog`. */
export const lineWriterOf = (log: Logger): WriteLine | undefined => lineWriters.get(log);

/** As pino writes it. */
function createLineWriter(base: object, output: DestinationStream): WriteLine {
  const about = JSON.stringify(base).slice(1, -1);
  return (fields) => output.write(`{"level":30,"time":${Date.now()},${about}${fields}}\n`);
}

const terminal = (): DestinationStream => ({
  write: (line) => void process.stdout.write(pretty(line)),
});

/**
 * Nothing waits until lines are written. Those that still wait are written when the process ends, also by an
 * exception that nobody catches, as far as the reader takes them; one that is killed loses those of the last
 * tenth of a second.
 */
function gathered(to: string | number): DestinationStream {
  let waiting = '';
  let isWriting = false;
  const write = () => {
    if (!waiting) return;
    isWriting = true;
    output.write(waiting);
    waiting = '';
  };
  // Both before the destination's own listeners, after which it takes nothing more.
  process.on('beforeExit', write);
  process.on('exit', () => {
    // Another thread writes, which does not notice that the process ends: what it had in hand would be lost.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    write();
    output.flushSync();
  });
  const output = pino.destination({ dest: to, sync: false, maxLength: MAX_WAITING_BYTES });
  output.on('drain', () => (isWriting = false));
  setInterval(write, WRITE_MS).unref();
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= WRITE_LENGTH) write();
    },
  };
}
