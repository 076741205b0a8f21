import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, readAnswer } from './answers.ts';

/** A connection that is kept as long as both sides keep it, for requests given as bytes. */

/** A complete request is answered within this time, or the gateway hangs. */
const TIMEOUT_MS = 10_000;
/** The gateway may wait for the rest of an incomplete request: after this time the client hangs up. */
const PARTIAL_WAIT_MS = 15;

export interface Wire {
  /** Sends a whole request and reads its answer. */
  ask(bytes: Buffer, isHead?: boolean): Promise<Answer>;
  /** Sends arbitrary bytes, hangs up, and returns the answers received until the connection ended. */
  sendAndHangUp(bytes: Buffer): Promise<Answer[]>;
  close(): void;
}

interface Line {
  socket: Socket;
  seen: () => string;
  isOver: () => boolean;
  skip(length: number): void;
  /** Resolves when something has arrived, or the connection is over. */
  next(): Promise<unknown>;
}

async function open(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let seen = '';
  let isOver = false;
  let wake = () => {};
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    seen += chunk.toString('latin1');
    wake();
  });
  const end = () => {
    isOver = true;
    socket.end();
    wake();
  };
  socket.on('end', end).on('close', end);
  await once(socket, 'connect');
  return {
    socket,
    seen: () => seen,
    isOver: () => isOver,
    skip: (length) => void (seen = seen.slice(length)),
    next: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

/** Rejects if the promise does not settle in time. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer in ${ms} ms`)), ms);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

async function answerOn(line: Line, isHead: boolean): Promise<Answer> {
  for (;;) {
    const answer = readAnswer(line.seen(), isHead, line.isOver());
    if (answer && answer.status !== 100) {
      line.skip(answer.length);
      return answer;
    }
    if (answer) line.skip(answer.length);
    else if (line.isOver()) throw new Error(`hung up after ${JSON.stringify(line.seen())}`);
    else await line.next();
  }
}

function answersIn(line: Line): Answer[] {
  const answers: Answer[] = [];
  for (;;) {
    const answer = readAnswer(line.seen(), false, true);
    if (!answer) break;
    answers.push(answer);
    line.skip(answer.length);
    // What follows is another protocol.
    if (answer.status === 101) return answers;
  }
  return answers;
}

export function openWire(port: number): Wire {
  let line: Line | undefined;

  function close(): void {
    line?.socket.destroy();
    line = undefined;
  }

  return {
    close,
    async ask(bytes, isHead = false) {
      if (line?.isOver() || line?.seen()) close();
      line ??= await open(port);
      line.socket.write(bytes);
      try {
        const answer = await within(TIMEOUT_MS, answerOn(line, isHead));
        if (answer.headers['connection'] === 'close' || answer.status === 101) close();
        return answer;
      } catch (error) {
        close();
        throw error;
      }
    },
    async sendAndHangUp(bytes) {
      const own = await open(port);
      own.socket.write(bytes);
      await within(PARTIAL_WAIT_MS, own.next()).catch(() => {});
      own.socket.end();
      const over = async () => {
        while (!own.isOver()) await own.next();
      };
      await within(TIMEOUT_MS, over()).finally(() => own.socket.destroy());
      return answersIn(own);
    },
  };
}
