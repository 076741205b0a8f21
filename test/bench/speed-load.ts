import { connect, type Socket } from 'node:net';
import type { Operation } from './speed-operations.ts';

/** A loader that costs less than what it measures: prepared requests over bare sockets. */

const CONNECTIONS = 10;
/** Every connection reads into one of its own. */
const BUFFER_BYTES = 65_536;
const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

export interface Load {
  url: string;
  /** The bytes of the next request. */
  next(): Buffer;
}

/** Keeps all connections busy for a while; gives the number of answers and the time they took. */
export async function drive(
  { url, next }: Load,
  isOver: (answers: number) => boolean,
): Promise<{ answers: number; ms: number }> {
  const { hostname, port } = new URL(url);
  let answers = 0;
  const startedAt = performance.now();
  const ask = (socket: Socket): boolean => {
    if (isOver(answers)) return false;
    socket.write(next());
    return true;
  };
  const lines = Array.from({ length: CONNECTIONS }, () =>
    keepBusy({ port: Number(port), host: hostname }, ask, () => (answers += 1)),
  );
  await Promise.all(lines);
  return { answers, ms: performance.now() - startedAt };
}

/** One connection: asks again after each answer, until there is nothing more to ask. */
function keepBusy(
  address: { port: number; host: string },
  ask: (socket: Socket) => boolean,
  note: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = createReader();
    const buffer = Buffer.alloc(BUFFER_BYTES);
    const callback = (length: number) => {
      const state = read(buffer.subarray(0, length));
      if (state === 'failed') reject(new Error(buffer.toString('latin1', 0, 1000)));
      if (state === 'more') return true;
      note();
      if (ask(socket)) return true;
      resolve();
      socket.destroy();
      return false;
    };
    const socket = connect({ ...address, noDelay: true, onread: { buffer, callback } });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server hung up')));
    socket.once('connect', () => ask(socket));
  });
}

/** Follows one answer after the other; Infinity = until the last of its chunks. */
function createReader(): (chunk: Buffer) => 'more' | 'done' | 'failed' {
  let missing = 0;
  return (chunk) => {
    if (missing === 0) {
      const end = chunk.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
      const head = chunk.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200')) return 'failed';
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      missing = length === undefined ? Infinity : Number(length) + end;
    }
    if (missing !== Infinity) missing -= chunk.length;
    else if (chunk.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)) missing = 0;
    return missing === 0 ? 'done' : 'more';
  };
}

/** A POST as clients send it. */
export function postOf(url: string, operation: Operation | object): Buffer {
  const { host, pathname } = new URL(url);
  const body = JSON.stringify(operation);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'accept: application/json',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(head.join('\r\n') + END_OF_HEAD + body);
}

export function getOf(url: string): Buffer {
  const { host, pathname, search } = new URL(url);
  const head = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, 'accept: application/json'];
  return Buffer.from(head.join('\r\n') + END_OF_HEAD);
}
