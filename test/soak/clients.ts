import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Draw } from '../bench/economy-random.ts';
import type { Asked } from './questions.ts';

/** Clients that ask over HTTP at a steady pace, and the kinds of their answers. */

/** How often each kind of answer came, such as `ok`, `left`, an error code, or an HTTP status without a code. */
export type Answers = Map<string, number>;

export function countIn(answers: Answers, kind: string): void {
  answers.set(kind, (answers.get(kind) ?? 0) + 1);
}

const TIMEOUT_MS = 30_000;
const CONNECTIONS = 40;
/** Share of the clients that leave before they are answered. */
const LEAVING_SHARE = 0.01;
/** Far above what is under way at the pace of a soak. Beyond it, nothing is asked until an earlier task has ended. */
const MAX_IN_FLIGHT = 300;
/** How often a burst of requests is sent. */
const BURST_MS = 200;

export interface Asking {
  url: string;
  /** Keys that the gateway knows. */
  keys: readonly string[];
  draw: Draw;
  answers: Answers;
}

/** Returns the kind of an answer: its compression if it has any, else its error code, else `ok` or its status. */
function kindOf({ statusCode, headers }: IncomingMessage, text: string): string {
  const coding = headers['content-encoding'];
  if (coding !== undefined) return `ok ${coding}`;
  const code = /"code":"(\w+)"/.exec(text)?.[1];
  if (code !== undefined) return code;
  return statusCode === 200 && !text.includes('"errors"') ? 'ok' : String(statusCode);
}

/** When the last answer over a connection was complete. */
const lastAnswerAt = new WeakMap<Socket, number>();

/** Describes a failure in a way that tells who closed the connection, and when. */
function failureOf(message: string, socket: Socket | null, sentAt: number): string {
  const before = socket ? lastAnswerAt.get(socket) : undefined;
  const idle = before === undefined ? 'new' : `idle for ${Math.round(sentAt - before)} ms`;
  const afterMs = Math.round(performance.now() - sentAt);
  return `no answer: ${message} after ${afterMs} ms, on a connection that was ${idle}`;
}

/** Resolves to the kind of the answer once it has come or can no longer come; the client may leave before that. */
function answerTo(sent: ClientRequest, leavesAfterMs: number | undefined): Promise<string> {
  const leaves = leavesAfterMs !== undefined;
  let timer: NodeJS.Timeout | undefined;
  let sentAt = performance.now();
  // From then on: before that, the request waits for one of the other connections here to be free.
  sent.once('socket', () => {
    sentAt = performance.now();
    const endsAfterMs = leavesAfterMs ?? TIMEOUT_MS;
    timer = setTimeout(() => sent.destroy(new Error('out of time')), endsAfterMs);
  });
  const answer = new Promise<string>((resolve) => {
    sent.once('error', ({ message }) => {
      resolve(leaves ? 'left' : failureOf(message, sent.socket, sentAt));
    });
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('close', () => {
        if (sent.socket) lastAnswerAt.set(sent.socket, performance.now());
        if (response.complete) resolve(kindOf(response, Buffer.concat(chunks).toString()));
        else resolve(leaves ? 'left' : 'cut off');
      });
    });
  });
  return answer.finally(() => clearTimeout(timer));
}

export function createAsk({ url, keys, draw, answers }: Asking) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  /** Draws a key; an empty one is not sent. */
  const anyKey = () =>
    draw.weighted([
      [97, draw.popular(keys)],
      [2, `wrong-${draw.whole(1e9)}`],
      [1, ''],
    ]);

  function send({ method, search, body, headers, key = anyKey() }: Asked): Promise<string> {
    const all = { ...headers, ...(key && { authorization: `Bearer ${key}` }) };
    const sent = request(url + search, { method, agent, headers: all });
    const answer = answerTo(sent, draw.chance(LEAVING_SHARE) ? draw.whole(30) : undefined);
    sent.end(body);
    return answer;
  }

  return {
    async ask(requests: readonly Asked[]): Promise<void> {
      for (const one of requests) countIn(answers, await send(one));
    },
    close: () => agent.destroy(),
  };
}

interface Pace {
  /** In total, over the whole run. */
  operations: number;
  durationMs: number;
  signal: AbortSignal;
}

/** Runs tasks, numbered from 0, spread evenly over the time. Once all have ended, returns how many were begun. */
export async function runAtPace(
  { operations, durationMs, signal }: Pace,
  task: (n: number) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  const underWay = new Set<Promise<void>>();
  let n = 0;
  while (n < operations && !signal.aborted) {
    const due = Math.min(operations, ((performance.now() - began) / durationMs) * operations);
    for (; n < due && underWay.size < MAX_IN_FLIGHT; n += 1) {
      const one: Promise<void> = task(n).finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await sleep(BURST_MS, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay);
  return n;
}
