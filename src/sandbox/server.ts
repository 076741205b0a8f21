import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Exchange, Faults } from './faults.ts';
import type { Gate, Reply } from './gate.ts';
import type { Journal, SandboxRequest } from './journal.ts';

/** A group and where it lives on the server. */
export interface Mount {
  group: 'A' | 'B';
  /** Begins with a slash and does not end in one. */
  prefix: string;
  gate: Gate;
}

/** What the server needs to know. */
export interface Service {
  mounts: readonly Mount[];
  faults: Faults;
  journal: Journal;
  latencyMs: () => number;
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

function createExchange(
  message: IncomingMessage,
  response: ServerResponse,
  request: SandboxRequest,
  gate: Gate,
): Exchange {
  const { path } = request;
  const note = ({ status, cost }: Reply) => Object.assign(request, { status, cost });
  const reset = () => {
    message.socket.resetAndDestroy();
  };
  return {
    path,
    answer: () => gate.answer({ method: message.method ?? 'GET', path, headers: message.headers }),
    send(reply) {
      note(reply);
      writeHead(response, reply);
      response.end(reply.body);
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

function handle(service: Service, message: IncomingMessage, response: ServerResponse): void {
  const url = message.url ?? '/';
  const mount = service.mounts.find(({ prefix }) => url.startsWith(`${prefix}/`));
  message.resume();
  if (!mount) {
    response.writeHead(404).end();
    return;
  }
  const path = url.slice(mount.prefix.length);
  const request = service.journal.arrive(mount.group, path, service.now());
  response.once('close', () => service.journal.leave(request));
  const exchange = createExchange(message, response, request, mount.gate);
  after(response, service.latencyMs(), () => service.faults.settle(request, exchange));
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
export async function listen(service: Service, host: string, port: number): Promise<Listening> {
  const server = createServer((message, response) => handle(service, message, response));
  // Longer than clients keep their idle connections, so that it is never the server that closes first.
  server.keepAliveTimeout = 60_000;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { origin: `http://${name}:${bound}`, close: () => close(server) };
}
