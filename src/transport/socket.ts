import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server, SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Caller } from '../clients/authenticator.ts';
import { closeReason, createOperationIds, type OperationIds } from './socket-ids.ts';
import { watchIntake } from './socket-intake.ts';
import { createSlots } from './socket-slots.ts';
import { createPingCount, watchClient } from './socket-watch.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/**
 * One WebSocket: passes its messages to the protocol's server (graphql-ws) and what that sends to the
 * client, within limits. What a client does not read is never piled up for it.
 */

export interface SocketLimits {
  maxOperationsPerSocket: number;
  maxSubscriptionsPerSocket: number;
  maxSocketBufferBytes: number;
}

/** What belongs to one WebSocket, for those who execute its operations. */
export interface Connection {
  request: IncomingMessage;
  /** The client's. */
  address: string;
  /** Waits for a slot among the operations that run. Returns what gives it back. */
  start(): Promise<() => void>;
  /** Resolves once the text has left for the client, so that who sends waits for who reads. */
  send(text: string): Promise<void>;
  /** What operations were sent with, by their ids: whoever reads one takes it out, so that it does not outlive that. */
  payloads: Map<string, SubscribePayload>;
  /** Open subscriptions. */
  subscriptions: number;
  /** Who has opened it, where clients have names; known after the client's first message. */
  caller: Caller | undefined;
  /** What the client calls itself in its first message. */
  clientName: string | undefined;
  /** It has sent its first message, and may stay. */
  isAcknowledged: boolean;
  close(code: number, reason: string): void;
  /** Calls `listener` once it is closed. */
  onClose(listener: () => void): void;
}

export interface SocketOptions extends Pick<Connection, 'request' | 'address'> {
  /** The connection underneath. */
  stream: Duplex;
  server: Server<Connection>;
  limits: SocketLimits;
  /** What has come of messages that have not ended. */
  unfinishedBytes: UnfinishedBytes;
  /** So many bytes were sent and may wait for the client (or, negative, wait no more). */
  noteWaiting(bytes: number): void;
  /** Says why a connection was ended, or what failed in it. */
  report(event: SocketEvent): void;
}

/** Why a connection has ended before its client wanted it, or what failed in it. */
export interface SocketEvent {
  event: 'not reading' | 'too many pings' | 'gone' | 'protocol error';
  error?: unknown;
}

/** While more bytes than this wait for the client to read them, no further operation of its socket begins. */
const BUSY_BYTES = 1024 * 1024;

/** In characters, of three bytes at most. */
const MAX_REASON = 40;
const POLICY_VIOLATION = 1008;
const BAD_REQUEST = 4400;

export function openConnection(socket: WebSocket, options: SocketOptions): void {
  const { request, address, stream, server, limits, report, unfinishedBytes } = options;
  const isOpen = () => socket.readyState === socket.OPEN;

  function cut(event: SocketEvent['event']): void {
    if (!isOpen()) return;
    report({ event });
    socket.terminate();
  }

  function send(message: string): Promise<void> {
    if (!isOpen()) return Promise.resolve();
    const text = ids.sent(message);
    if (text === undefined) return Promise.resolve();
    const waiting = socket.bufferedAmount;
    const bytes = Buffer.byteLength(text);
    // A message that nothing waits in front of may have any length.
    if (waiting > 0 && waiting + bytes > limits.maxSocketBufferBytes) cut('not reading');
    if (!isOpen()) return Promise.resolve();
    return new Promise((resolve) => {
      socket.send(text, () => {
        options.noteWaiting(-bytes);
        resolve();
        operations.next();
      });
      options.noteWaiting(bytes);
    });
  }

  const ids = createOperationIds();
  const operations = createSlots(limits.maxOperationsPerSocket, {
    isBusy: () => isOpen() && socket.bufferedAmount > BUSY_BYTES,
    onFull: () => isOpen() && socket.pause(),
    onFree: () => isOpen() && socket.resume(),
  });
  const pings = createPingCount(() => {
    report({ event: 'too many pings' });
    socket.close(POLICY_VIOLATION, 'Too many pings');
  });
  const stopWatching = watchClient(socket, () => cut('gone'));

  const connection: Connection = {
    request,
    address,
    start: operations.start,
    send,
    payloads: ids.payloads,
    subscriptions: 0,
    caller: undefined,
    clientName: undefined,
    isAcknowledged: false,
    close: (code, reason) => socket.close(code, reason),
    onClose: (listener) => void socket.once('close', listener),
  };
  const closed = server.opened(wireOf(socket, { send, ids, pings, report }), connection);
  watchIntake(socket, {
    stream,
    unfinishedBytes,
    isAcknowledged: () => connection.isAcknowledged,
    onTooMuch() {
      socket.close(BAD_REQUEST, 'Too much before connection_ack');
      // Nobody knows this client: its answer is not waited for.
      stream.end(() => stream.destroy());
    },
  });
  socket.on('ping', pings.note);
  socket.on('pong', pings.note);
  socket.on('error', (error) => report({ event: 'protocol error', error }));
  socket.once('close', (code, reason) => {
    stopWatching();
    operations.next();
    void closed(code, String(reason));
  });
}

/** The socket as the protocol's server knows it. */
function wireOf(
  socket: WebSocket,
  { send, ids, pings, report }: Wire,
): Parameters<Server<Connection>['opened']>[0] {
  return {
    protocol: socket.protocol,
    send,
    // It may repeat what a client has sent, and no more than 123 bytes can be told.
    close: (code, reason) => socket.close(code, closeReason(reason ?? '').slice(0, MAX_REASON)),
    onMessage(take) {
      socket.on('message', (data: Buffer) => {
        if (socket.readyState !== socket.OPEN) return;
        ids.received(data.toString(), take).catch((error: unknown) => {
          report({ event: 'protocol error', error });
          socket.close(BAD_REQUEST, 'Invalid message received');
        });
      });
    },
    // Answers are worth no memory: who does not read them gets none.
    onPing: (payload) =>
      pings.note() && socket.bufferedAmount === 0
        ? send(JSON.stringify({ type: 'pong', ...(payload && { payload }) }))
        : undefined,
    onPong: () => void pings.note(),
  };
}

interface Wire extends Pick<Connection, 'send'>, Pick<SocketOptions, 'report'> {
  ids: OperationIds;
  pings: ReturnType<typeof createPingCount>;
}
