import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { MAX_BODY_BYTES } from './http-message.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';

/**
 * Maximum bytes that a client may send before it is acknowledged. Later, an unfinished message that is longer counts
 * toward the bound that all connections share.
 */
const FREE_BYTES = 16 * 1024;
/** Size of the header of a ping or pong frame that a client sends (RFC 6455 section 5.2). */
const CONTROL_HEAD_BYTES = 6;

interface IntakeOptions {
  /** The connection underneath. */
  stream: Duplex;
  unfinishedBytes: UnfinishedBytes;
  isAcknowledged(): boolean;
  /** Called when a client that is not acknowledged has sent too much. */
  onTooMuch(): void;
}

/** Counts the bytes of a message that is still incomplete: the WebSocket library holds them until the message ends. */
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
