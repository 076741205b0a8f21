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
  const logger = (level: string) => loggerTo(to, level, isTerminal ? {} : aboutProcess());
  return { isTerminal, logger, write: (lines) => to.write(lines) };
}

/** Of a worker: its lines go through the process that leads it, and tell which one it is. */
export function createWorkerLog(level: string, worker: number, isTerminal: boolean): Logger {
  const base = isTerminal ? { worker } : { ...aboutProcess(), worker };
  return loggerTo(gathered(process.stdout.fd), level, base);
}

const aboutProcess = () => ({ pid: process.pid, hostname: hostname() });

/**
 * Writes a line at level info of which all but the time is JSON text already: `,"name":value` for each field.
 * `at`: by the clock of `performance.now()`.
 */
export type WriteLine = (fields: string, at: number) => void;

const lineWriters = new WeakMap<Logger, WriteLine>();

/** Faster than the logger, for lines of which there are most; undefined where a logger is none of this module's. */
export const lineWriterOf = (log: Logger): WriteLine | undefined => lineWriters.get(log);

/** `base` is in every line. */
function loggerTo(output: DestinationStream, level: string, base: object): Logger {
  const log = pino({ level, base }, output);
  const about = Object.entries(base)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
  // As pino writes it. Many lines begin with the same millisecond.
  let last = { time: 0, beginning: '' };
  lineWriters.set(log, (fields, at) => {
    const time = wallTimeOf(at);
    if (time !== last.time) last = { time, beginning: `{"level":30,"time":${time}${about}` };
    output.write(`${last.beginning}${fields}}\n`);
  });
  return log;
}

/** To read a clock takes as long as all else of a line: the two are compared now and then. */
const COMPARE_MS = 100;
const clocks = { comparedAt: -Infinity, difference: 0 };

function wallTimeOf(at: number): number {
  if (at - clocks.comparedAt > COMPARE_MS) {
    clocks.comparedAt = at;
    clocks.difference = Date.now() - performance.now();
  }
  return Math.round(at + clocks.difference);
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
