import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { MAX_BODY_BYTES } from './http-message.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/** A client may send so much before it is acknowledged; later its messages are bounded with all others beyond it. */
const FREE_BYTES = 16 * 1024;
/** Of a frame that a client sends to say no more than ping or pong (RFC 6455 section 5.2). */
const CONTROL_HEAD_BYTES = 6;

export interface IntakeOptions {
  /** The connection underneath. */
  stream: Duplex;
  unfinishedBytes: UnfinishedBytes;
  isAcknowledged(): boolean;
  /** A client that is not acknowledged has sent too much. */
  onTooMuch(): void;
}

/** Counts what has come over a WebSocket and is no whole message yet: the library holds it until it is one. */
export function watchIntake(socket: WebSocket, options: IntakeOptions): void {
  const { stream, unfinishedBytes, isAcknowledged, onTooMuch } = options;
  let bytes = 0;
  let held = 0;

  function hold(count: number): void {
    bytes = Math.max(0, count);
    const counted = bytes > FREE_BYTES ? Math.min(bytes, MAX_BODY_BYTES) : 0;
    if (counted !== held) unfinishedBytes.hold(stream, counted);
    held = counted;
  }

  const release = (count: number) => isAcknowledged() && hold(bytes - count);
  const releaseFrame = ({ length }: Buffer) => release(CONTROL_HEAD_BYTES + length);
  socket.on('message', () => release(bytes));
  socket.on('ping', releaseFrame);
  socket.on('pong', releaseFrame);
  stream.on('data', (chunk: Buffer) => {
    if (isAcknowledged()) return hold(bytes + chunk.length);
    bytes += chunk.length;
    if (bytes > FREE_BYTES) onTooMuch();
  });
  stream.once('close', () => hold(0));
}
