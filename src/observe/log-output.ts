import pino, { type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.ts';

/** Where lines of the log go: to the standard output, for people in a terminal, else as JSON. */

/** Lines wait for others, since writing one takes longer than making it; but not for long. */
const WRITE_LENGTH = 65_536;
const WRITE_MS = 100;
/** What nobody reads is worth no more memory: lines beyond it are lost. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export function createLog(level: string): Logger {
  if (process.stdout.isTTY) return pino({ level, base: null }, terminal());
  return pino({ level }, gathered(process.stdout.fd));
}

const terminal = (): DestinationStream => ({
  write: (line) => void process.stdout.write(pretty(line)),
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
