import type { WebSocket } from 'ws';

/** Watches whether the client of a WebSocket is still there, and does not ping too often. */

/** How often a client is pinged, and how long it has to answer or read before it is presumed gone. */
const PING_EVERY_MS = 12_000;
/** The window in which pings and pongs are counted; usual clients ping every ten seconds. */
const PING_WINDOW_MS = 10_000;
const MAX_PINGS = 100;

/** Returns a function that counts a ping or pong, and returns false once there are too many. */
export function createPingCount(onTooMany: () => void): () => boolean {
  let count = 0;
  let since = performance.now();
  return () => {
    if (performance.now() - since > PING_WINDOW_MS) [count, since] = [0, performance.now()];
    count += 1;
    if (count === MAX_PINGS + 1) onTooMany();
    return count <= MAX_PINGS;
  };
}

/**
 * Pings the client, and calls `onGone` if it neither answers nor reads anything. While the socket is paused for want
 * of slots and nothing waits for the client, it counts as alive, since no answer could be seen.
 */
export function watchClient(socket: WebSocket, onGone: () => void): () => void {
  let isAlive = true;
  let unread = 0;
  socket.on('pong', () => (isAlive = true));
  const timer = setInterval(() => {
    const { bufferedAmount, isPaused } = socket;
    const isReading = bufferedAmount < unread || (isPaused && bufferedAmount === 0);
    if (!isAlive && !isReading) return onGone();
    isAlive = false;
    unread = bufferedAmount;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_EVERY_MS);
  return () => clearInterval(timer);
}
