import type { Clock } from '../time.ts';

/** What a poll of a dataset returned, and when the next one is due (on the poller's clock). */
export interface PollResult<T> {
  value: T;
  nextAt: number;
}

/** Polls a dataset while somebody listens, once for all listeners. Knows nothing of what it polls. */
export interface Poller<T> {
  /**
   * Calls the listener with the latest value, where there is one, and with every later one. Returns a
   * function that stops listening.
   */
  listen(listener: (value: T) => void): () => void;
}

export interface PollerOptions<T> {
  poll(): Promise<PollResult<T>>;
  now: Clock;
  /** Called when the last listener has left: no timer is running then. */
  onIdle(): void;
}

/** Polls are never closer together than this. */
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2 ** 31 - 1;
/** After a poll that failed, or returned only what was stale before it began. */
const RETRY_MS = 5000;
/** After a poll that took longer than what it returned is fresh. */
const OVERDUE_MS = 1000;

export function createPoller<T>({ poll, now, onIdle }: PollerOptions<T>): Poller<T> {
  const listeners = new Set<(value: T) => void>();
  let latest: PollResult<T> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;

  /** The client has logged what failed. Listeners are told nothing: they keep the latest value. */
  async function pollNow(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    // A newcomer did not wait for the repetition of a failed poll: a second timer would never be cleared.
    clearTimeout(timer);
    const began = now();
    const found = await poll().catch(() => undefined);
    isPolling = false;
    if (listeners.size === 0) return;
    latest = found ?? latest;
    if (found) for (const listener of listeners) listener(found.value);
    timer = setTimeout(() => void pollNow(), pauseAfter(found, began));
  }

  function pauseAfter(found: PollResult<T> | undefined, began: number): number {
    if (!found || found.nextAt <= began) return RETRY_MS;
    const pause = found.nextAt - now();
    return pause > 0 ? Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pause)) : OVERDUE_MS;
  }

  return {
    listen(listener) {
      listeners.add(listener);
      if (latest) listener(latest.value);
      else void pollNow();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        onIdle();
      };
    },
  };
}
