import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits the bytes of answers that wait because their clients do not read. */
export interface WaitingBytes {
  /** To be called after a write that the connection has not fully taken, and when it has taken more. */
  update(response: ServerResponse): void;
}

interface WaitingBytesOptions {
  maxWaitingBytes: number;
  maxWaitingBytesPerConnection: number;
}

/**
 * Cuts a connection that holds more than its share. If all together hold too much, those that have waited
 * longest are cut: a client that reads is never among them for long. A connection that waits alone does no harm:
 * only its share applies.
 */
export function createWaitingBytes(options: WaitingBytesOptions): WaitingBytes {
  const { maxWaitingBytes, maxWaitingBytesPerConnection } = options;
  /** In the order in which they began to wait. A connection has several if its requests are pipelined. */
  const waiting = new Map<ServerResponse, number>();
  const byConnection = new Map<Socket, number>();
  /** Responses with a `close` listener: those that are streams begin to wait many times. */
  const watched = new WeakSet<ServerResponse>();
  let total = 0;

  function set(response: ServerResponse, bytes: number): void {
    const { socket } = response.req;
    const change = bytes - (waiting.get(response) ?? 0);
    const ofConnection = (byConnection.get(socket) ?? 0) + change;
    total += change;
    if (bytes > 0) waiting.set(response, bytes);
    else waiting.delete(response);
    if (ofConnection > 0) byConnection.set(socket, ofConnection);
    else byConnection.delete(socket);
  }

  function watch(response: ServerResponse): void {
    if (watched.has(response)) return;
    watched.add(response);
    response.once('close', () => set(response, 0));
  }

  /** Stops counting a response at once, since its connection closes only later. */
  function cut(response: ServerResponse): void {
    set(response, 0);
    response.req.socket.destroy();
  }

  function cutLongestWaiting(): void {
    for (const response of waiting.keys()) {
      // Before version 26, Node.js does not close a response that waits for an earlier one of its connection.
      const isGone = response.req.socket.destroyed;
      set(response, isGone ? 0 : response.writableLength);
    }
    for (const response of waiting.keys()) {
      if (total <= maxWaitingBytes || byConnection.size === 1) return;
      cut(response);
    }
  }

  return {
    update(response) {
      const { socket } = response.req;
      if (socket.destroyed) return set(response, 0);
      watch(response);
      set(response, response.writableLength);
      if ((byConnection.get(socket) ?? 0) > maxWaitingBytesPerConnection) cut(response);
      if (total > maxWaitingBytes) cutLongestWaiting();
    },
  };
}
