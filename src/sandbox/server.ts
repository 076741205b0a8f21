import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Exchange, Faults } from './faults.ts';
import type { GroupHandler, Reply } from './handler.ts';
import type { RequestLog, SandboxRequest } from './request-log.ts';
import type { Settings } from './settings.ts';

// An import of node:http would load Node's `fetch`, too, which takes longer than the rest.
const { createServer } = process.getBuiltinModule('node:http');

/**
 * The HTTP server of the sandbox: writes each request to the request log, waits for the latency, and lets a
 * fault or the group's handler answer.
 */

/** A group and the path prefix that it is served under. */
export interface Mount {
  group: 'A' | 'B';
  /** Begins with a slash and does not end in one. */
  prefix: string;
  handler: GroupHandler;
}

/** What the server needs of the other parts. */
export interface ServerOptions {
  mounts: readonly Mount[];
  faults: Faults;
  requestLog: RequestLog;
  settings: Pick<Settings, 'latencyMs' | 'bytesPerSecond'>;
  now: () => number;
}

function writeHead(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': reply.body.length,
    ...reply.headers,
  });
}

function after(response: ServerResponse, ms: number, proceed: () => void): void {
  const unlessLeft = () => {
    if (!response.destroyed) proceed();
  };
  if (ms <= 0) unlessLeft();
  else setTimeout(unlessLeft, ms).unref();
}

/** The time between two pieces of a body that is sent slowly, in milliseconds. */
const PIECE_MS = 4;

/** Sends each byte when a line of this speed would deliver it, then ends the response. */
function sendSlowly(response: ServerResponse, body: Buffer, bytesPerSecond: number): void {
  const startedAt = performance.now();
  let sent = 0;
  response.flushHeaders();
  const sendDue = () => {
    if (response.destroyed) return;
    const due = Math.floor(((performance.now() - startedAt) * bytesPerSecond) / 1000);
    const piece = body.subarray(sent, due);
    sent += piece.length;
    if (piece.length > 0) response.write(piece);
    if (sent === body.length) response.end();
    else setTimeout(sendDue, PIECE_MS).unref();
  };
  sendDue();
}

function createExchange(
  message: IncomingMessage,
  response: ServerResponse,
  request: SandboxRequest,
  handler: GroupHandler,
  lineSpeed: number | null,
): Exchange {
  const { path } = request;
  const note = ({ status, cost }: Reply) => Object.assign(request, { status, cost });
  const reset = () => {
    message.socket.resetAndDestroy();
  };
  return {
    path,
    answer: () =>
      handler.answer({ method: message.method ?? 'GET', path, headers: message.headers }),
    send(reply, bytesPerSecond = lineSpeed ?? Infinity) {
      note(reply);
      writeHead(response, reply);
      if (bytesPerSecond === Infinity) response.end(reply.body);
      else sendSlowly(response, reply.body, bytesPerSecond);
    },
    sendHalf(reply) {
      note(reply);
      writeHead(response, reply);
      response.write(reply.body.subarray(0, Math.ceil(reply.body.length / 2)), () => {
        setImmediate(reset);
      });
    },
    reset,
    after: (ms, proceed) => after(response, ms, proceed),
  };
}

function handle(options: ServerOptions, message: IncomingMessage, response: ServerResponse): void {
  const url = message.url ?? '/';
  const mount = options.mounts.find(({ prefix }) => url.startsWith(`${prefix}/`));
  message.resume();
  if (!mount) {
    response.writeHead(404).end();
    return;
  }
  const path = url.slice(mount.prefix.length);
  const request = options.requestLog.begin(mount.group, path, options.now());
  response.once('close', () => options.requestLog.end(request));
  const exchange = createExchange(
    message,
    response,
    request,
    mount.handler,
    options.settings.bytesPerSecond,
  );
  after(response, options.settings.latencyMs, () => options.faults.respond(request, exchange));
}

/** A server that is listening. */
export interface Listening {
  /** http://host:port */
  origin: string;
  close: () => Promise<void>;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Serves the mounts on one port. */
export async function listen(
  options: ServerOptions,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createServer((message, response) => handle(options, message, response));
  // Longer than clients keep their idle connections, so that the server is never the first to close one.
  server.keepAliveTimeout = 60_000;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { origin: `http://${name}:${bound}`, close: () => close(server) };
}
