import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onTestFinished } from 'vitest';

/** How much memory unfinished requests take, and clients that keep nothing of what they send. */

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns by how many MB a task increases the memory in use. */
export async function growthOf(task: () => Promise<void>): Promise<number> {
  const before = await used();
  await task();
  return Math.round((await used()) - before);
}

async function used(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

export interface Sent {
  type?: string;
  accept?: string;
  body: string;
}

/** Sends a POST, keeping nothing of the body, and returns the beginning of the answer, which may arrive late. */
export async function begin(url: string, sent: Sent): Promise<{ first: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const first = once(socket, 'data').then(([data]) => String(data));
  first.catch(() => undefined);
  await write(socket, textOf(url, sent));
  return { first };
}

const write = (socket: Socket, text: string) =>
  new Promise<unknown>((resolve) => void socket.write(text, resolve));

function textOf(url: string, { type, accept, body }: Sent): string {
  const head = [
    'POST /graphql HTTP/1.1',
    `host: ${new URL(url).host}`,
    `content-type: ${type ?? 'application/json'}`,
    `accept: ${accept ?? 'application/json'}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return [...head, '', body].join('\r\n');
}
