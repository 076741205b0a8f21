import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Http } from './http.ts';
import { type HttpReply, MAX_BODY_BYTES, originForm } from './http-message.ts';
import { isForWebSocket } from './websocket.ts';

/** node:http as a transport: bytes to requests, replies to bytes. */
export function createListener(http: Http): RequestListener {
  function answer(request: IncomingMessage, body: string | undefined, to: ServerResponse): void {
    const { method = 'GET', headers, socket } = request;
    const address = socket.remoteAddress ?? '';
    // Where not even the account can be told, as when the ledger is closed, nothing is.
    const fail = () => void to.destroy();
    try {
      const reply = http({ method, url: originForm(request.url), headers, body, address });
      if (reply instanceof Promise) reply.then((ready) => write(to, ready)).catch(fail);
      else write(to, reply);
    } catch {
      fail();
    }
  }

  return (request, response) => {
    if (request.method !== 'POST') answer(request, '', response);
    else readBody(request, (body) => answer(request, body, response));
  };
}

/** Gives undefined for a body that is too long. */
function readBody(request: IncomingMessage, use: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    use(size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString());
  });
}

function write(response: ServerResponse, { status, headers, body }: HttpReply): void {
  response.writeHead(status, headers);
  if (body instanceof ReadableStream) {
    writeStream(response, body).catch(() => response.destroy());
    return;
  }
  // Head and body leave together, without a copy that would hold both.
  if (body.length === 1) {
    response.cork();
    response.flushHeaders();
  }
  for (let i = 0; i < body.length - 1; i += 1) response.write(body[i]);
  response.end(body.at(-1));
}

/** A client that leaves cancels the stream, even while that has nothing to send. */
async function writeStream(response: ServerResponse, body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const left = once(response, 'close').then(() => reader.cancel());
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await Promise.race([once(response, 'drain'), left]);
  }
  response.end();
}

export interface Listening {
  url: string;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export interface Listener {
  handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Throws an error that names HOST and PORT where they cannot be listened on. */
export async function listen(
  { handler, upgrade }: Listener,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createServer({ shouldUpgradeCallback: isForWebSocket }, handler);
  server.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`HOST, PORT: cannot listen on ${host}:${port} (${error.message})`));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close: (graceMs) => close(server, graceMs) };
}

const IDLE_LOOK_MS = 50;

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection whose last answer ends only now would be kept for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
