import { hostname } from 'node:os';
import pino, { type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.ts';

/** Where lines of the log go: to the standard output, for people in a terminal, else as JSON. */

/** Lines wait for others, since writing one takes longer than making it; but not for long. */
const WRITE_BYTES = 65_536;
const WRITE_MS = 100;
/** How long a write that is under way when the process ends may take. */
const LAST_WRITE_MS = 200;
/** How long a reader that is busy is waited for at that time. */
const LAST_READ_MS = 2000;
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
  return loggerTo(gathered(process.stdout.fd, hasLostLeader), level, base);
}

const aboutProcess = () => ({ pid: process.pid, hostname: hostname() });

/**
 * Writes a line at level info of which all but the time is there already: JSON text, `,"name":value` for each field
 * up to the line's end. In two pieces, each of which may be the same in many lines. `time`: by the wall clock.
 */
export type WriteLine = (time: number, beginning: Buffer, end: Buffer) => void;

const lineWriters = new WeakMap<Logger, WriteLine>();

/** Faster than the logger, for lines of which there are most; undefined where a logger is none of this module's. */
export const lineWriterOf = (log: Logger): WriteLine | undefined => lineWriters.get(log);

/** What lines are written to. */
interface LineOutput extends DestinationStream {
  /** Faster, for a line that is made of bytes which are there already. */
  writeLine(time: Buffer, beginning: Buffer, end: Buffer): void;
}

/** `base` is in every line. */
function loggerTo(output: LineOutput, level: string, base: object): Logger {
  const log = pino({ level, base }, output);
  const about = Object.entries(base)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
  // As pino writes it. Many lines begin with the same millisecond.
  let last = { time: 0, text: Buffer.of() };
  lineWriters.set(log, (time, beginning, end) => {
    if (time !== last.time)
      last = { time, text: Buffer.from(`{"level":30,"time":${time}${about}`) };
    output.writeLine(last.text, beginning, end);
  });
  return log;
}

function terminal(): LineOutput {
  // It may be closed while the process goes on.
  process.stdout.on('error', () => undefined);
  const write = (lines: string) =>
    void process.stdout.write(
      lines
        .split(/(?<=\n)/)
        .map(pretty)
        .join(''),
    );
  return { write, writeLine: (...pieces) => write(Buffer.concat(pieces).toString()) };
}

/** Of a worker: the process that takes its lines has gone. */
const hasLostLeader = () => !process.connected;

/**
 * Nothing waits until lines are written. Those that still wait are written when the process ends, also by an
 * exception that nobody catches, as far as the reader takes them; one that is killed loses its last ones. `isUnread`: there
 * is no reader any more.
 */
function gathered(to: string | number, isUnread = () => false): LineOutput {
  // Bytes: texts would have to be put together for each line, which takes longer than to copy what is there.
  const waiting = Buffer.allocUnsafe(WRITE_BYTES);
  let length = 0;
  let isWriting = false;
  /** The last write has failed, as on a full disk. */
  let isBroken = false;
  /** Until then a reader that is busy is waited for. */
  let until = Infinity;
  const send = (lines: string) => {
    isWriting = true;
    output.write(lines);
  };
  const write = () => {
    if (length > 0) send(waiting.toString('utf8', 0, length));
    length = 0;
  };
  // Both before the destination's own listeners, after which it takes nothing more.
  process.prependListener('beforeExit', write);
  process.prependListener('exit', () => {
    // To flush it would take for ever: the destination takes a broken pipe, or a full disk, for a busy one.
    if (isUnread() || isBroken) return output.destroy();
    // Another thread writes, which does not notice that the process ends: what it had in hand would be lost.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    until = performance.now() + LAST_READ_MS;
    try {
      write();
      output.flushSync();
    } catch {
      output.destroy();
    }
  });
  const output = pino.destination({
    dest: to,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < until,
  });
  output.on('error', () => (isBroken = true));
  output.on('drain', () => (isWriting = isBroken = false));
  setInterval(write, WRITE_MS).unref();
  return {
    write(line) {
      write();
      send(line);
    },
    writeLine(time, beginning, end) {
      if (length + time.length + beginning.length + end.length > WRITE_BYTES) write();
      waiting.set(time, length);
      waiting.set(beginning, (length += time.length));
      waiting.set(end, (length += beginning.length));
      length += end.length;
    },
  };
}
