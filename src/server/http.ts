import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { answerKey } from './answers.ts';
import type { AllowOrigin } from './cors.ts';
import type { ServeDirect } from './direct.ts';
import type { ServeHot } from './hot.ts';
import { MAX_BODY_BYTES, refusalOf, refuse, respond, TOO_LARGE } from './refuse.ts';
import { isForWebSocket, pathOf, toOriginForm } from './target.ts';

/** What stands in front of the GraphQL server. */
export interface HandlerOptions {
  graphql: RequestListener;
  serveHot: ServeHot;
  serveDirect: ServeDirect;
  allowOrigin: AllowOrigin;
  /** Of the list that says what ids stand for. */
  listVersion(): number;
  isReady(): boolean;
  /** Of a request that is refused before it becomes an operation. */
  account(): object;
}

/**
 * Probes, a bound on what a request may send, and whole answers that are here already. A body is
 * read once, here: Yoga takes it as a property of the request.
 */
export function createHandler(options: HandlerOptions): RequestListener {
  const { graphql, serveHot, serveDirect, allowOrigin, listVersion, isReady, account } = options;

  function serve(request: IncomingMessage, body: string, response: ServerResponse): void {
    const key = answerKey(request, body, listVersion());
    if (key !== undefined && serveHot(request, key, response)) return;
    const refusal = refusalOf(request);
    if (refusal) return refuse(response, refusal, account());
    const isPost = request.method === 'POST';
    // Yoga would wait for the rest of an empty body.
    const read = isPost ? { body: body || ' ' } : {};
    const otherwise = () => graphql(Object.assign(request, { answerKey: key }, read), response);
    if (key === undefined || !isPost) otherwise();
    // It rejects only where not even the account can be told, as when the ledger is closed.
    else serveDirect({ request, body, key }, response, otherwise).catch(() => response.destroy());
  }

  return (request, response) => {
    toOriginForm(request);
    const { method } = request;
    const path = pathOf(request);
    if (allowOrigin(request, response)) return undefined;
    if (path === '/health') return respond(response, 200, { status: 'ok' });
    if (path === '/ready')
      return isReady()
        ? respond(response, 200, { status: 'ready' })
        : respond(response, 503, { status: 'stopping' });
    if (method !== 'POST') return serve(request, '', response);
    readBody(request, (body) => {
      if (body === undefined) refuse(response, TOO_LARGE, account());
      else serve(request, body, response);
    });
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
    use(size > MAX_BODY_BYTES ? undefined : withoutMark(Buffer.concat(chunks).toString()));
  });
}

/** Some editors put a byte order mark in front, which JSON does not know. */
const withoutMark = (text: string) => (text.startsWith('\uFEFF') ? text.slice(1) : text);

export interface Listening {
  url: string;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export interface Listener {
  handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

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
