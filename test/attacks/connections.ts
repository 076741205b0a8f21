import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ATTACKER, type Target } from './attack.ts';

/** How attackers talk to the gateway: whole requests, raw connections, and frames of WebSockets. */

export interface Answer {
  /** HTTP status; 0 if the connection ended without an answer. */
  status: number;
  /** The first megabyte of the answer. */
  text: string;
  bytes: number;
}

const MAX_TEXT_BYTES = 1024 * 1024;
/** As many connections as an attacker likes. */
const agent = new Agent({ keepAlive: false, maxSockets: Infinity });

export interface AskOptions {
  headers?: Record<string, string>;
  method?: string;
  path?: string;
}

export function send(target: Target, body: string, options: AskOptions = {}): Promise<Answer> {
  const { host, port, signal } = target;
  const { method = 'POST', path = '/graphql' } = options;
  const headers = {
    accept: 'application/json',
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  return new Promise((resolve) => {
    const answer: Answer = { status: 0, text: '', bytes: 0 };
    const end = () => resolve(answer);
    const requestOptions = {
      host,
      port,
      path,
      method,
      headers,
      localAddress: ATTACKER,
      agent,
      signal,
    };
    const sent = request(requestOptions, (incoming) => {
      answer.status = incoming.statusCode ?? 0;
      incoming.on('data', (chunk: Buffer) => {
        answer.bytes += chunk.length;
        if (answer.text.length < MAX_TEXT_BYTES) answer.text += chunk.toString();
      });
      incoming.once('close', end);
      incoming.once('error', end);
    });
    sent.once('error', end);
    sent.end(body);
  });
}

/** Sends an operation. */
export function ask(target: Target, query: string, variables?: object): Promise<Answer> {
  return send(target, JSON.stringify({ query, variables }));
}

/** The codes of the errors in an answer. */
export function codesIn({ text }: Answer): string[] {
  return [...text.matchAll(/"code":"(\w+)"/g)].map(([, code = '']) => code);
}

/** Opens a connection on which anything may be written. Later errors only end it. */
export function openRaw({ host, port, signal }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, localAddress: ATTACKER, allowHalfOpen: false });
    const cut = () => socket.destroy();
    signal.addEventListener('abort', cut, { once: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => {});
    socket.once('close', () => {
      signal.removeEventListener('abort', cut);
      reject(new Error('closed'));
    });
  });
}

const MASK_BIT = 0x80;

/** Returns a frame of a client (RFC 6455 section 5.2), masked with zeros. */
export function frame(payload: string | Buffer, opcode = 1): Buffer {
  const data = Buffer.from(payload);
  const head = Buffer.alloc(data.length < 126 ? 2 : data.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (head.length === 2) head[1] = MASK_BIT | data.length;
  else if (head.length === 4) {
    head[1] = MASK_BIT | 126;
    head.writeUInt16BE(data.length, 2);
  } else {
    head[1] = MASK_BIT | 127;
    head.writeBigUInt64BE(BigInt(data.length), 2);
  }
  return Buffer.concat([head, Buffer.alloc(4), data]);
}

export const message = (value: object) => frame(JSON.stringify(value));
export const subscribe = (id: string, query: string, variables?: object) =>
  message({ id, type: 'subscribe', payload: { query, variables } });

/** Writes, and waits while the other side does not read. Gives up when the connection has ended. */
export function write(socket: Socket, data: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(data)) return resolve();
    const end = () => {
      socket.off('drain', end).off('close', end);
      resolve();
    };
    socket.on('drain', end).on('close', end);
  });
}

/** Waits until a match has arrived, or the connection has ended. Resolves to everything that has arrived. */
export function waitForMatch(socket: Socket, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    const note = (chunk: Buffer) => {
      seen += chunk.toString('latin1');
      if (pattern.test(seen)) end();
    };
    const end = () => {
      socket.off('data', note).off('close', end);
      resolve(seen);
    };
    if (socket.destroyed) return end();
    socket.on('data', note).on('close', end);
  });
}

/** Opens a graphql-transport-ws WebSocket, and waits until it is acknowledged or refused. */
export async function openWebSocket(target: Target, headers: Record<string, string> = {}) {
  const socket = await openRaw(target);
  const lines = [
    'GET /graphql HTTP/1.1',
    `host: ${target.host}:${target.port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol: graphql-transport-ws',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await waitForMatch(socket, /\r\n\r\n/);
  const isOpen = head.startsWith('HTTP/1.1 101');
  if (!isOpen) socket.destroy();
  else {
    socket.write(message({ type: 'connection_init' }));
    await waitForMatch(socket, /connection_ack/);
  }
  return { socket, head };
}
