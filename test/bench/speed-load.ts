import { connect, type Socket } from 'node:net';
import type { Operation } from './speed-operations.ts';

/**
 * A load generator that is cheaper than the servers it measures: it writes prepared requests to
 * sockets, and reads answers only to find where they end.
 */

const CONNECTIONS = 10;
/** Each connection has one buffer, which it reads into again and again. */
const BUFFER_BYTES = 65_536;
const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

export interface Load {
  url: string;
  /** The bytes of the next request. */
  next(): Buffer;
  /** Expected status of every answer; 200 by default. */
  status?: number;
}

/** Sends requests over all connections until `isOver`; returns how many answers came, and how long it took. */
export async function drive(
  { url, next, status = 200 }: Load,
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
    keepBusy({ port: Number(port), host: hostname, status }, ask, () => (answers += 1)),
  );
  await Promise.all(lines);
  return { answers, ms: performance.now() - startedAt };
}

/** Asks over one connection, again after each answer, until there is nothing more to ask. */
function keepBusy(
  { status, ...address }: { port: number; host: string; status: number },
  ask: (socket: Socket) => boolean,
  onAnswer: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const read = createReader(status);
    const buffer = Buffer.alloc(BUFFER_BYTES);
    const askOrEnd = () => {
      if (ask(socket)) return true;
      resolve();
      socket.destroy();
      return false;
    };
    const callback = (length: number) => {
      const state = read(buffer.subarray(0, length));
      if (state === 'failed') reject(new Error(buffer.toString('latin1', 0, 1000)));
      if (state === 'more') return true;
      onAnswer();
      return askOrEnd();
    };
    const socket = connect({ ...address, noDelay: true, onread: { buffer, callback } });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server hung up')));
    socket.once('connect', askOrEnd);
  });
}

/**
 * Tells when an answer is complete. `missing` is the number of bytes that are still to come; Infinity
 * if no length is stated, so that the last chunk ends the answer.
 */
function createReader(status: number): (chunk: Buffer) => 'more' | 'done' | 'failed' {
  let missing = 0;
  return (chunk) => {
    if (missing === 0) {
      const end = chunk.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
      const head = chunk.toString('latin1', 0, end);
      if (!head.startsWith(`HTTP/1.1 ${status}`)) return 'failed';
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      missing = length === undefined ? Infinity : Number(length) + end;
    }
    if (missing !== Infinity) missing -= chunk.length;
    else if (chunk.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)) missing = 0;
    return missing === 0 ? 'done' : 'more';
  };
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The bytes of a POST, as clients send it. */
export function postOf(
  url: string,
  operation: Operation | object,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const { host, pathname } = new URL(url);
  const body = JSON.stringify(operation);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'accept: application/json',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(head.join('\r\n') + END_OF_HEAD + body);
}

/** The bytes of a GET. */
export function getOf(url: string): Buffer {
  const { host, pathname, search } = new URL(url);
  const head = [`GET ${pathname}${search} HTTP/1.1`, `host: ${host}`, 'accept: application/json'];
  return Buffer.from(head.join('\r\n') + END_OF_HEAD);
}
