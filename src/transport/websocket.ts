import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLSchema } from 'graphql';
import { handleProtocols } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authenticator } from '../clients/authenticator.ts';
import type { Config } from '../config.ts';
import { STATUS_CODES } from '../node-http.ts';
import { createOpenCounts } from '../open-counts.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { ClientAddress } from './client-address.ts';
import { GRAPHQL_PATH, MAX_BODY_BYTES, originForm, pathOf } from './http-message.ts';
import { forbiddenReason, type OriginRules } from './origins.ts';
import { createSocketAdmission } from './socket-admission.ts';
import { openConnection, type SocketEvent, type SocketOptions } from './socket.ts';
import { createProtocol } from './socket-protocol.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/** GraphQL over WebSocket (graphql-ws) as a transport: which connections are accepted, and how many. */
export interface WebSockets {
  /**
   * Takes over a connection that asks for the graphql-transport-ws protocol on /graphql. Refuses pages of
   * other sites with 403, too many sockets of one address with 429, and too many in all with 503.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many sockets are open. */
  count(): number;
  close(): void;
}

interface WebSocketsOptions {
  pipeline: Pipeline;
  schema: GraphQLSchema;
  originRules: OriginRules;
  /** Undefined: clients need no key. */
  authenticator: Authenticator | undefined;
  addressOf: ClientAddress;
  limits: Config['sockets'];
  unfinishedBytes: UnfinishedBytes;
  /** Called when the gateway ends a connection, or something fails in it. */
  report(event: SocketEvent): void;
}

/** How long a client may take to answer a close frame before it is cut off. */
const CLOSE_TIMEOUT_MS = 1000;
/**
 * Maximum frames per message, and chunks per frame: each costs memory besides its bytes. Some clients write only
 * 4 KiB at a time.
 */
const MAX_PIECES = 1024;
/** An option that the types of `ws` lack. */
const UNTYPED_OPTIONS = { closeTimeout: CLOSE_TIMEOUT_MS };

/** socket.ts serves each connection, socket-protocol.ts turns messages into requests and replies into messages. */
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
    ...UNTYPED_OPTIONS,
    // If a hundred messages arrive at once, they are handled one at a time: other clients are served in between.
    allowSynchronousEvents: false,
    handleProtocols,
  });
  const perAddress = createOpenCounts();
  let waitingBytes = 0;

  /** Inspects the sockets only if more bytes are being sent than may wait for all clients together. */
  function noteWaiting(bytes: number): void {
    waitingBytes += bytes;
    if (bytes > 0 && waitingBytes > limits.maxSocketsBufferBytes) cutMostWaiting();
  }

  /** Cuts the socket with the most waiting bytes. One that waits alone does no harm: only its own limit applies. */
  function cutMostWaiting(): void {
    const waiting = [...sockets.clients].filter(isWaiting);
    const total = waiting.reduce((sum, { bufferedAmount }) => sum + bufferedAmount, 0);
    if (total <= limits.maxSocketsBufferBytes || waiting.length === 1) return;
    const [mostWaiting] = waiting.toSorted((a, b) => b.bufferedAmount - a.bufferedAmount);
    report({ event: 'not reading' });
    mostWaiting?.terminate();
  }

  /** Browsers send their key only in the first message: whether it may be used from this origin is checked then. */
  function isForbidden({ headers }: IncomingMessage): boolean {
    const forbidden = forbiddenReason(headers, originRules);
    return forbidden !== undefined && forbidden !== 'origin of client';
  }

  function refusalStatus(request: IncomingMessage, address: string): number | undefined {
    if (!isForGraphQL(request)) return 404;
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
      const status = refusalStatus(request, address);
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

/** Refuses an upgrade. Errors are ignored: the client may reset the connection instead of reading the answer. */
function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => socket.destroy());
  // Nothing else limits how long the client may keep its end open.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n\r\n`);
}

/** Over HTTP, too, a slash at the end does not matter. */
const isForGraphQL = ({ url }: IncomingMessage): boolean =>
  pathOf(originForm(url)).replace(/\/$/, '') === GRAPHQL_PATH;

/** Whether a WebSocket is asked for. Any other `upgrade` is ignored (RFC 9110 section 7.8): curl may offer HTTP/2. */
export function isForWebSocket(request: IncomingMessage): boolean {
  const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && request.method === 'GET' && isForGraphQL(request);
}
