import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { createPingCount, watchClient } from '../../src/transport/socket-watch.ts';

/** When the client of a WebSocket is presumed gone, and when it pings too often. */

const PING_EVERY_MS = 12_000;
const PING_WINDOW_MS = 10_000;

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** What the watch sees of a WebSocket; without a network, since time stands still between its pings. */
class Seen extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;
  pings = 0;
  ping = () => (this.pings += 1);
}

function watch(state: Partial<Seen> = {}) {
  const socket = Object.assign(new Seen(), state);
  const onGone = vi.fn<() => void>();
  const stop = watchClient(socket as unknown as WebSocket, onGone);
  const round = () => vi.advanceTimersByTime(PING_EVERY_MS);
  return { socket, onGone, stop, round };
}

test('a client that answers each ping stays', () => {
  const { socket, onGone, round } = watch();
  for (let i = 0; i < 5; i += 1) {
    round();
    socket.emit('pong');
  }
  expect([socket.pings, onGone.mock.calls.length]).toEqual([5, 0]);
});

test('a client that does not answer is gone after the second round', () => {
  const { onGone, round } = watch();
  round();
  expect(onGone).not.toHaveBeenCalled();
  round();
  expect(onGone).toHaveBeenCalledOnce();
});

test('a client that reads what waits for it is there, although its answers are behind the rest', () => {
  const { socket, onGone, round } = watch({ bufferedAmount: 3000 });
  for (const left of [3000, 2000, 1000]) {
    socket.bufferedAmount = left;
    round();
  }
  expect(onGone).not.toHaveBeenCalled();
  round();
  expect(onGone).toHaveBeenCalledOnce();
});

test('no answer can be seen of a paused socket, unless the client leaves something unread', () => {
  const paused = watch({ isPaused: true });
  const unread = watch({ isPaused: true, bufferedAmount: 3000 });
  for (let i = 0; i < 3; i += 1) paused.round();
  expect(paused.onGone).not.toHaveBeenCalled();
  expect(unread.onGone).toHaveBeenCalled();
});

test('a socket that is closing is not pinged, and nothing is watched after the stop', () => {
  const { socket, onGone, stop, round } = watch({ readyState: 2 });
  round();
  stop();
  round();
  expect([socket.pings, onGone.mock.calls.length]).toEqual([0, 0]);
});

test('a hundred pings in ten seconds are taken, the next is told once', () => {
  const onTooMany = vi.fn<() => void>();
  const note = createPingCount(onTooMany);
  const taken = () => Array.from({ length: 102 }, note).filter(Boolean).length;
  expect([taken(), onTooMany.mock.calls.length]).toEqual([100, 1]);
  vi.advanceTimersByTime(PING_WINDOW_MS);
  expect(note()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(taken()).toBe(100);
});
