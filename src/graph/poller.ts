import type { Clock } from '../time.ts';

/** What a look at a dataset found, and when the next look is due (milliseconds since 1970). */
export interface Look<T> {
  value: T;
  nextAt: number;
}

/** Looks at a dataset while somebody listens, once for all listeners. */
export interface Poller<T> {
  /** Tells the listener what is known, and every later look. Returns how to stop listening. */
  listen(listener: (value: T) => void): () => void;
}

export interface PollerOptions<T> {
  look(): Promise<Look<T>>;
  now: Clock;
  /** Called when the last listener has left: nothing is left behind. */
  onIdle(): void;
}

/** Looks closer together than this would be a load of their own. */
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2 ** 31 - 1;
/** After a look that failed, or found only what was past its time to live before. */
const RETRY_MS = 5000;
/** After a look that took longer than what it found is fresh. */
const OVERDUE_MS = 1000;

export function createPoller<T>({ look, now, onIdle }: PollerOptions<T>): Poller<T> {
  const listeners = new Set<(value: T) => void>();
  let latest: Look<T> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  /** A failed look has been logged by the client; listeners go on with what they have. */
  async function lookNow(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    // A repetition that a newcomer did not wait for: else there would be two timers, and one would never be cleared.
    clearTimeout(timer);
    const began = now();
    const found = await look().catch(() => undefined);
    isLooking = false;
    if (listeners.size === 0) return;
    latest = found ?? latest;
    if (found) for (const listener of listeners) listener(found.value);
    timer = setTimeout(() => void lookNow(), pauseAfter(found, began));
  }

  function pauseAfter(found: Look<T> | undefined, began: number): number {
    if (!found || found.nextAt <= began) return RETRY_MS;
    const pause = found.nextAt - now();
    return pause > 0 ? Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pause)) : OVERDUE_MS;
  }

  return {
    listen(listener) {
      listeners.add(listener);
      if (latest) listener(latest.value);
      else void lookNow();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        onIdle();
      };
    },
  };
}
