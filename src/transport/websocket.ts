import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import { handleProtocols } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authenticator } from '../clients/authenticator.ts';
import { STATUS_CODES } from '../node-http.ts';
import { createOpenCounts } from '../open-counts.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { MAX_BODY_BYTES, originForm, PATH, pathOf } from './http-message.ts';
import { forbiddenOrigin, type OriginRules } from './origins.ts';
import { createSocketAdmission } from './socket-admission.ts';
import {
  openConnection,
  type SocketEvent,
  type SocketLimits,
  type SocketOptions,
} from './socket.ts';
import { createProtocol } from './socket-protocol.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

export interface WebSockets {
  /**
   * Takes over a connection that asks for the graphql-transport-ws protocol on /graphql. Refuses with
   * 403 what a page of another site asks for, with 429 and 503 what is too much.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many are open. */
  count(): number;
  close(): void;
}

export interface WebSocketsOptions {
  pipeline: Pipeline;
  schema: GraphQLSchema;
  originRules: OriginRules;
  /** Undefined: everybody is served. */
  authenticator: Authenticator | undefined;
  /** Whose connection it is. */
  addressOf(request: IncomingMessage): string;
  limits: SocketLimits & {
    maxSocketsPerAddress: number;
    maxSockets: number;
    maxSocketsBufferBytes: number;
  };
  unfinishedBytes: UnfinishedBytes;
  /** Called for what ends or fails in connections. */
  report(event: SocketEvent): void;
}

/** How long a client may take to answer that the connection is closed. */
const CLOSE_TIMEOUT_MS = 1000;
/** Of a message frames, and of a frame chunks: each costs memory besides its bytes. Some clients write 4 KiB at a time. */
const MAX_PIECES = 1024;
/** The types of ws do not know it. */
const UNTYPED = { closeTimeout: CLOSE_TIMEOUT_MS };

/** GraphQL over WebSocket (graphql-ws) as a transport: messages to requests, replies to messages. */
export function createWebSockets(options: WebSocketsOptions): WebSockets {
  const { pipeline, schema, limits, originRules, authenticator, addressOf } = options;
  const { unfinishedBytes, report } = options;
  const server = createProtocol({
    pipeline,
    schema,
    maxSubscriptions: limits.maxSubscriptionsPerSocket,
    admission: createSocketAdmission({
      authenticator,
      originRules,
      maxSockets: limits.maxSockets,
    }),
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    maxFragments: MAX_PIECES,
    maxBufferedChunks: MAX_PIECES,
    ...UNTYPED,
    // Of a hundred messages that come at once, one is taken at a time: others are served in between.
    allowSynchronousEvents: false,
    handleProtocols,
  });
  const perAddress = createOpenCounts();
  let waitingBytes = 0;

  /** Looks at the sockets only where so much was sent lately that too much of it may wait. */
  function noteWaiting(bytes: number): void {
    waitingBytes += bytes;
    if (bytes > 0 && waitingBytes > limits.maxSocketsBufferBytes) cutMostWaiting();
  }

  /** The only one that waits holds nobody up: its own limit is enough. */
  function cutMostWaiting(): void {
    const waiting = [...sockets.clients].filter(isWaiting);
    const total = waiting.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0);
    if (total <= limits.maxSocketsBufferBytes || waiting.length === 1) return;
    const [most] = waiting.toSorted((a, b) => b.bufferedAmount - a.bufferedAmount);
    report({ event: 'not reading' });
    most?.terminate();
  }

  /** Browsers send no key yet: whether it may be used from there is known with the first message. */
  function isForbidden({ headers }: IncomingMessage): boolean {
    const forbidden = forbiddenOrigin(headers, originRules);
    return forbidden !== undefined && forbidden !== 'origin of client';
  }

  function refusal(request: IncomingMessage, address: string): number | undefined {
    if (pathOf(originForm(request.url)) !== PATH) return 404;
    if (isForbidden(request)) return 403;
    if (!request.headers['sec-websocket-key']) return 400;
    if (sockets.clients.size >= limits.maxSockets) return 503;
    return perAddress.of(address) >= limits.maxSocketsPerAddress ? 429 : undefined;
  }

  function open(client: WebSocket, from: Pick<SocketOptions, 'request' | 'stream' | 'address'>) {
    client.once('close', perAddress.begin(from.address));
    openConnection(client, { ...from, server, limits, unfinishedBytes, noteWaiting, report });
  }

  return {
    upgrade(request, stream, head) {
      const address = addressOf(request);
      const status = refusal(request, address);
      if (status !== undefined) refuse(stream, status);
      else
        sockets.handleUpgrade(request, stream, head, (client) =>
          open(client, { request, stream, address }),
        );
    },
    count: () => sockets.clients.size,
    close() {
      for (const client of sockets.clients) client.close(1001, 'Going away');
      sockets.close();
    },
  };
}

const isWaiting = ({ readyState, OPEN, bufferedAmount }: WebSocket) =>
  readyState === OPEN && bufferedAmount > 0;

/** A client that resets the connection instead of reading this is no matter. */
function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  // Nothing else bounds the time for which the client may keep its end open.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n\r\n`);
}

/** Any other `upgrade` is ignored (RFC 9110 section 7.8): curl, for one, offers HTTP/2 by itself. */
export function isForWebSocket({ method, url, headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && method === 'GET' && pathOf(originForm(url)) === PATH;
}
