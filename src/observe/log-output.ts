import { hostname } from 'node:os';
import pino, { type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.ts';

/** Writes the log to the standard output: for people to read if that is a terminal, else as JSON. */

/** Lines are gathered up to this size or time, since writing a line takes longer than making it. */
const WRITE_BYTES = 65_536;
const WRITE_MS = 100;
/** How long to wait, when the process ends, for a write that is in progress. */
const LAST_WRITE_MS = 200;
/** How long to wait, when the process ends, for a reader that is busy. */
const LAST_READ_MS = 2000;
/** Maximum size of lines that nobody reads: further ones are lost, since they are not worth more memory. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export const createLog = (level: string): Logger => openOutput().logger(level);

/** Accepts the lines of several processes, each line as a whole. */
export interface Output {
  /** Whether people read it: then lines do not name the process. */
  isTerminal: boolean;
  logger(level: string): Logger;
  /** Writes `lines` as a logger made them, each with its line end. */
  write(lines: string): void;
}

/** Opens the standard output. To be called once. */
export function openOutput(): Output {
  const isTerminal = process.stdout.isTTY;
  const to = isTerminal ? terminal() : buffered();
  const logger = (level: string) => loggerTo(to, level, isTerminal ? {} : aboutProcess());
  return { isTerminal, logger, write: (lines) => to.write(lines) };
}

/** Creates the log of a worker: its lines go through the primary process, and tell which worker wrote them. */
export function createWorkerLog(level: string, worker: number, isTerminal: boolean): Logger {
  const base = isTerminal ? { worker } : { ...aboutProcess(), worker };
  return loggerTo(buffered(hasLostPrimary), level, base);
}

const aboutProcess = () => ({ pid: process.pid, hostname: hostname() });

/**
 * Writes a line at level info that is complete except for its time: JSON text, `,"name":value` for each field up to the
 * line's end. It comes in two pieces, each of which may be the same in many lines. `time`: by the wall clock.
 */
type WriteLine = (time: number, beginning: Buffer, end: Buffer) => void;

const lineWriters = new WeakMap<Logger, WriteLine>();

/** Returns a faster writer than the logger, for the most frequent lines; undefined for loggers made elsewhere. */
export const lineWriterOf = (log: Logger): WriteLine | undefined => lineWriters.get(log);

/** The destination of lines. */
interface LineOutput extends DestinationStream {
  /** Faster than `write`, for a line that consists of ready-made bytes. */
  writeLine(time: Buffer, beginning: Buffer, end: Buffer): void;
}

/** `base` is in every line. */
function loggerTo(output: LineOutput, level: string, base: object): Logger {
  const log = pino({ level, base }, output);
  const about = Object.entries(base)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
  // The beginning of a line as pino writes it. Many lines have the same millisecond.
  let last = { time: 0, text: Buffer.of() };
  lineWriters.set(log, (time, beginning, end) => {
    if (time !== last.time)
      last = { time, text: Buffer.from(`{"level":30,"time":${time}${about}`) };
    output.writeLine(last.text, beginning, end);
  });
  return log;
}

function terminal(): LineOutput {
  // The terminal may be closed while the process goes on.
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

/** Whether the primary process, which takes this worker's lines, is gone. */
const hasLostPrimary = () => !process.connected;

/**
 * Gathers lines; nothing waits until they are written. Those that are left are written when the process ends, even by
 * an uncaught exception, as far as the reader takes them; a process that is killed loses its last lines. `isUnread`:
 * whether the reader is gone.
 */
function buffered(isUnread = () => false): LineOutput {
  // Bytes, since concatenating texts for each line would take longer than copying ready-made bytes.
  const waiting = Buffer.allocUnsafe(WRITE_BYTES);
  let length = 0;
  let isWriting = false;
  /** Whether the last write failed, as on a full disk. */
  let isBroken = false;
  /** Until when to wait for a reader that is busy. */
  let waitUntil = Infinity;
  const send = (lines: string) => {
    isWriting = true;
    output.write(lines);
  };
  const write = () => {
    if (length > 0) send(waiting.toString('utf8', 0, length));
    length = 0;
  };
  // Both run before the destination's own listeners, after which it accepts nothing more.
  process.prependListener('beforeExit', write);
  process.prependListener('exit', () => {
    // Flushing would take forever: the destination treats a broken pipe, or a full disk, as a busy reader.
    if (isUnread() || isBroken) return output.destroy();
    // Another thread is writing, and does not notice that the process ends: what it holds would be lost.
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    waitUntil = performance.now() + LAST_READ_MS;
    try {
      write();
      output.flushSync();
    } catch {
      output.destroy();
    }
  });
  const output = pino.destination({
    dest: process.stdout.fd,
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => performance.now() < waitUntil,
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
