import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server, SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Caller } from '../clients/authenticator.ts';
import type { Config } from '../config.ts';
import { closeReason, createOperationIds, type OperationIds } from './socket-ids.ts';
import { watchIntake } from './socket-intake.ts';
import { createPongs, type Pongs } from './socket-pongs.ts';
import { createSlots } from './socket-slots.ts';
import { createPingCount, watchClient } from './socket-watch.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/**
 * One WebSocket: passes its messages to the protocol's server (graphql-ws), and the server's messages to the
 * client, within limits. Messages that a client does not read do not pile up without bound.
 */

/** State and functions of one WebSocket, for the code that executes its operations. */
export interface Connection {
  request: IncomingMessage;
  /** The client's IPv4 address or IPv6 network (`networkOf`); '' if it is unknown. */
  address: string;
  /** Waits for a slot among the running operations. Returns the function that gives it back. */
  acquireSlot(): Promise<() => void>;
  /** Sends a text. Resolves once it has left for the client, so that senders wait for a slow reader. */
  send(text: string): Promise<void>;
  /** Payloads of operations, by id: each is removed when it is read, so that it is kept no longer. */
  payloads: Map<string, SubscribePayload>;
  /** How many subscriptions are open. */
  subscriptions: number;
  /** Who has opened it, if clients have names; known after the client's first message. */
  caller: Caller | undefined;
  /** What the client calls itself in its first message. */
  clientName: string | undefined;
  /** Whether it has asked for dry runs, which a WebSocket does not have. */
  isDry: boolean;
  /** Whether its client has sent its first message and was admitted. */
  isAcknowledged: boolean;
  close(code: number, reason: string): void;
  /** Calls `listener` when the socket is closed. */
  onClose(listener: () => void): void;
}

export interface SocketOptions extends Pick<Connection, 'request' | 'address'> {
  /** The connection underneath. */
  stream: Duplex;
  server: Server<Connection>;
  limits: Config['sockets'];
  /** Counts the bytes of incomplete messages. */
  unfinishedBytes: UnfinishedBytes;
  /** Called with the number of bytes that were sent and may wait for the client (negative: that wait no more). */
  noteWaiting(bytes: number): void;
  /** Called when the gateway ends the connection, or something fails in it. */
  report(event: SocketEvent): void;
}

/** Why a connection was ended before its client wanted to, or what failed in it. */
export interface SocketEvent {
  event: 'not reading' | 'too many pings' | 'gone' | 'protocol error';
  error?: unknown;
}

/** While more bytes than this wait for the client to read them, no further operation of its socket begins. */
const BUSY_BYTES = 1024 * 1024;

/** Maximum characters of a reason for closing, each of which takes at most three bytes. */
const MAX_REASON_LENGTH = 40;
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
    const text = ids.restoreId(message);
    if (text === undefined) return Promise.resolve();
    const waiting = socket.bufferedAmount;
    const bytes = Buffer.byteLength(text);
    // A message with nothing waiting ahead of it may have any length.
    if (waiting > 0 && waiting + bytes > limits.maxSocketBufferBytes) cut('not reading');
    if (!isOpen()) return Promise.resolve();
    return new Promise((resolve) => {
      socket.send(text, () => {
        options.noteWaiting(-bytes);
        resolve();
        slots.next();
        pongs.sendOwed();
      });
      options.noteWaiting(bytes);
    });
  }

  const ids = createOperationIds();
  const slots = createSlots(limits.maxOperationsPerSocket, {
    isBusy: () => isOpen() && socket.bufferedAmount > BUSY_BYTES,
    onFull: () => isOpen() && socket.pause(),
    onFree: () => isOpen() && socket.resume(),
  });
  const notePing = createPingCount(() => {
    report({ event: 'too many pings' });
    socket.close(POLICY_VIOLATION, 'Too many pings');
  });
  const pongs = createPongs(socket, send);
  const stopWatching = watchClient(socket, () => cut('gone'));

  const connection: Connection = {
    request,
    address,
    acquireSlot: slots.acquire,
    send,
    payloads: ids.payloads,
    subscriptions: 0,
    caller: undefined,
    clientName: undefined,
    isDry: false,
    isAcknowledged: false,
    close: (code, reason) => socket.close(code, reason),
    onClose: (listener) => void socket.once('close', listener),
  };
  const closed = server.opened(
    adaptSocket(socket, { send, ids, notePing, pongs, report }),
    connection,
  );
  watchIntake(socket, {
    stream,
    unfinishedBytes,
    isAcknowledged: () => connection.isAcknowledged,
    onTooMuch() {
      socket.close(BAD_REQUEST, 'Too many bytes before connection_ack');
      // The client has not been admitted: its answer to the close is not waited for.
      stream.end(() => stream.destroy());
    },
  });
  socket.on('ping', notePing);
  socket.on('pong', notePing);
  socket.on('error', (error) => report({ event: 'protocol error', error }));
  socket.once('close', (code, reason) => {
    stopWatching();
    slots.next();
    void closed(code, String(reason));
  });
}

/** Returns the socket in the form that the protocol's server expects. */
function adaptSocket(
  socket: WebSocket,
  { send, ids, notePing, pongs, report }: SocketParts,
): Parameters<Server<Connection>['opened']>[0] {
  return {
    protocol: socket.protocol,
    send,
    // A reason may quote what a client has sent, but must fit into 123 bytes.
    close: (code, reason) =>
      socket.close(code, closeReason(reason ?? '').slice(0, MAX_REASON_LENGTH)),
    onMessage(deliver) {
      socket.on('message', (data: Buffer) => {
        if (socket.readyState !== socket.OPEN) return;
        ids.receive(data.toString(), deliver).catch((error: unknown) => {
          report({ event: 'protocol error', error });
          socket.close(BAD_REQUEST, 'Invalid message received');
        });
      });
    },
    onPing: (payload) => (notePing() ? pongs.answer(payload) : undefined),
    onPong: () => void notePing(),
  };
}

interface SocketParts extends Pick<Connection, 'send'>, Pick<SocketOptions, 'report'> {
  ids: OperationIds;
  notePing(): boolean;
  pongs: Pongs;
}
