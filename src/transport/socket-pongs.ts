import type { WebSocket } from 'ws';

/** The answers to a client's pings, as messages of the protocol. */

export interface Pongs {
  answer(payload: unknown): Promise<void> | undefined;
  /** Sends the pong that is owed, if nothing waits for the client any more. */
  sendOwed(): void;
}

/**
 * Answers pings. Pongs are not worth any memory: while something waits for the client, one is owed for all its pings,
 * without their payloads.
 */
export function createPongs(socket: WebSocket, send: (text: string) => Promise<void>): Pongs {
  let isOwed = false;
  return {
    answer(payload) {
      isOwed = socket.bufferedAmount > 0;
      return isOwed ? undefined : send(JSON.stringify({ type: 'pong', payload }));
    },
    sendOwed() {
      if (!isOwed || socket.bufferedAmount > 0) return;
      isOwed = false;
      void send(JSON.stringify({ type: 'pong' }));
    },
  };
}
