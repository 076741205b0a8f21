import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Turns } from '../graph/resources.ts';
import { createServer } from '../node-http.ts';
import { createOpenCounts } from '../open-counts.ts';
import { createBodyReader, isKnownTooLong, writeStream } from './bodies.ts';
import type { ClientAddress } from './client-address.ts';
import {
  closeServer,
  type ConnectionOptions,
  type Listener,
  type Listening,
} from './connections.ts';
import type { Http } from './http.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type HttpReply, originForm } from './http-message.ts';
import { networkOf } from './networks.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

/** Called when the reply to an HTTP request begins to leave, `ms` after the request's body was complete. */
export type ObserveReply = (method: string, status: number, ms: number) => void;

interface ListenerOptions {
  http: Http;
  addressOf: ClientAddress;
  waitingBytes: WaitingBytes;
  unfinishedBytes: UnfinishedBytes;
  /** The turns that long-running operations wait for. */
  turns: Pick<Turns, 'hasWaiting'>;
  /** Once the process is ending, each reply closes its connection, so that proxies send further requests elsewhere. */
  lifecycle: Lifecycle['state'];
  log: Logger;
  /** Called for every reply; undefined: replies are not measured. */
  observe?: ObserveReply | undefined;
}

/** node:http as a transport: turns bytes into requests, and replies into bytes. */
export function createListener({
  http,
  addressOf,
  waitingBytes,
  unfinishedBytes,
  turns,
  lifecycle,
  log,
  observe,
}: ListenerOptions): RequestListener {
  const outbox = createOutbox(turns);
  const readBody = createBodyReader(unfinishedBytes);

  function answer(request: IncomingMessage, body: string | undefined, to: ServerResponse): void {
    const { method = 'GET', headers } = request;
    const address = addressOf(request);
    const arrivedAt = observe ? performance.now() : undefined;
    // The closures below must not refer to the body itself, which would then be kept until the reply is sent.
    const isTooLong = body === undefined;
    // If not even an account can be sent, as when the ledger is closed, the connection is cut without an answer.
    const fail = (error: unknown) => {
      log.error({ err: error }, 'a request cannot be answered: its connection is cut');
      to.destroy();
    };
    const send = (reply: HttpReply) =>
      outbox((now) => {
        if (arrivedAt !== undefined) observe?.(method, reply.status, now - arrivedAt);
        try {
          if (lifecycle.isEnding) to.setHeader('connection', 'close');
          if (isTooLong) writeLast(to, reply, waitingBytes);
          else write(to, reply, waitingBytes);
          reply.release?.();
        } catch (error) {
          // A server around this one may have answered first: a stream that nobody reads would never end.
          if (reply.body instanceof ReadableStream) void reply.body.cancel().catch(() => undefined);
          fail(error);
        }
      });
    try {
      const url = originForm(request.url);
      const reply = http({ method, url, headers, body, address, arrivedAt });
      if (reply instanceof Promise) reply.then(send).catch(fail);
      else send(reply);
    } catch (error) {
      fail(error);
    }
  }

  return (request, response) => readBody(request, (body) => answer(request, body, response));
}

/** Maximum replies that wait to be sent together. */
const MAX_BATCH = 32;

/**
 * Sends replies in batches, once all input that has arrived has been taken in. Waking a client that waits takes the
 * system longer than all the work on a cached answer; when replies leave in a row, most find their client still awake
 * from the reply before. While operations wait for their turn, which would come first, each reply is sent at once.
 */
function createOutbox(turns: Pick<Turns, 'hasWaiting'>): (send: (now: number) => void) => void {
  let waiting: ((now: number) => void)[] = [];

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    const now = performance.now();
    for (const send of all) send(now);
  }

  return (send) => {
    waiting.push(send);
    if (waiting.length === MAX_BATCH || turns.hasWaiting) sendAll();
    else if (waiting.length === 1) setImmediate(sendAll);
  };
}

const MAX_SHORT_LENGTH = 16_384;

function write(
  response: ServerResponse,
  { status, headers, body }: HttpReply,
  waitingBytes: WaitingBytes,
): void {
  response.writeHead(status, headers);
  if (body instanceof ReadableStream)
    return void writeStream(response, body, waitingBytes).catch(() => response.destroy());
  // Head and body leave together: a short text as one string, a long one without a copy of both.
  if (body.length === 1 && body[0]!.length > MAX_SHORT_LENGTH) {
    response.cork();
    response.flushHeaders();
  }
  for (let i = 0; i < body.length - 1; i += 1) response.write(body[i]);
  const last = body.at(-1);
  // If there are as many bytes as characters, the text is plain ASCII, which needs no encoding.
  response.end(last, last?.length === headers['content-length'] ? 'latin1' : 'utf8');
  if (response.writableLength > 0) waitingBytes.update(response);
}

const LINGER_MS = 500;

/**
 * Answers a client that may still be sending, and closes the connection after a while. If it were closed at once, the
 * client would see a broken connection, and might never read the answer.
 */
function writeLast(response: ServerResponse, reply: HttpReply, waitingBytes: WaitingBytes): void {
  const { status, headers, body } = reply;
  const last = { ...headers, connection: 'close' };
  if (body instanceof ReadableStream)
    return write(response, { status, headers: last, body }, waitingBytes);
  const bytes = Buffer.concat(body.map((piece) => Buffer.from(piece)));
  response.writeHead(status, { ...last, 'content-length': bytes.length });
  response.write(bytes);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  response.once('close', () => clearTimeout(timer));
}

/** Starts a server. Rejects with an error that names HOST and PORT if it cannot listen there. */
export async function listen(
  { serverOptions, handler, upgrade, connections }: Listener,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createServer(serverOptions, handler);
  limitConnections(server, connections);
  server.on('upgrade', upgrade);
  // A client that asks before it sends its body is not told to continue if the body is too long.
  server.on('checkContinue', (request, response) => {
    if (!isKnownTooLong(request)) response.writeContinue();
    handler(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    // Later errors are of connections that could not be accepted: the server goes on.
    server.on('error', (error) => {
      reject(new Error(`HOST, PORT: cannot listen on ${host}:${port} (${error.message})`));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${boundPort}`,
    close: (graceMs) => closeServer(server, graceMs),
  };
}

/** Limits how many connections may be open, in all and per address: further ones are closed. */
function limitConnections(server: Server, options: ConnectionOptions): void {
  const { max, maxPerAddress, isTrustedProxy } = options;
  const open = createOpenCounts();
  server.maxConnections = max;
  // Otherwise workers that are all full would keep passing a connection on to each other.
  Object.assign(server, { dropMaxConnection: true });
  server.on('connection', (socket: Socket) => {
    if (isTrustedProxy?.(socket.remoteAddress ?? '')) return;
    const address = networkOf(socket.remoteAddress ?? '');
    if (open.of(address) >= maxPerAddress) socket.destroy();
    else socket.once('close', open.begin(address));
  });
}
