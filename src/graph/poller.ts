import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../time.ts';
import type { Spender } from '../usage/operation.ts';

/** What a poll of a dataset returned, and when the next one is due (on the poller's clock). */
export interface PollResult<T> {
  value: T;
  nextAt: number;
  /** Nothing was asked for: it was there already. */
  wasHere?: boolean;
}

/** Polls a dataset while somebody listens, once for all listeners. Knows nothing of what it polls. */
export interface Poller<T> {
  /**
   * Calls the listener with the latest value, where there is one, and with every later one. Returns a
   * function that stops listening.
   */
  listen(listener: Listener<T>): () => void;
  /** Takes what has just come another way, where all that is polled is there: so it costs nothing. */
  look(): void;
}

interface Listener<T> {
  onValue(value: T): void;
  /** What it listens to can never be polled: nothing will come. */
  onGivenUp(error: unknown): void;
  /** Who may have to pay for a poll. */
  spender: Spender;
}

interface PollerOptions<T> {
  /** `spenders`: who listens, those first who have listened longest. `isFree`: rejects where something must be paid. */
  poll(spenders: readonly Spender[], isFree: boolean): Promise<PollResult<T>>;
  now: Clock;
  /** By which factor what is polled lives longer now than it usually does. Where it falls, polls come sooner. */
  stretch(): number;
  /**
   * In how many milliseconds the next poll comes after one that failed, as all have done for `forMs`. Undefined: it
   * would always fail.
   */
  retryAfter?(error: unknown, forMs: number): number | undefined;
  /** Called when the last listener has left: no timer is running then. */
  onIdle(): void;
}

/** Polls are never closer together than this. */
const MIN_PAUSE_MS = 50;
/** What is polled is looked at no later than this after it has expired sooner than was expected. */
const MAX_TIMER_MS = 60_000;
/** After a poll that failed, or returned only what was stale before it began. */
export const RETRY_MS = 5000;
/** After a poll that sent a request, and whose value was no longer fresh when it came. */
const OVERDUE_MS = 1000;

/** So many listeners hear of a value before others get the processor. */
const LISTENERS_AT_ONCE = 50;

export function createPoller<T>(options: PollerOptions<T>): Poller<T> {
  const { poll, now, stretch, retryAfter = () => RETRY_MS, onIdle } = options;
  const listeners = new Set<Listener<T>>();
  let latest: PollResult<T> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let failsSince: number | undefined;
  /** A listener of another priority came during a poll, whose value may be too old for it: the next one follows at once. */
  let isWantedSooner = false;

  /** Those who begin to listen meanwhile have been told already. */
  async function tell(value: T): Promise<void> {
    let told = 0;
    for (const listener of new Set(listeners)) {
      if (listeners.has(listener)) listener.onValue(value);
      told += 1;
      if (told % LISTENERS_AT_ONCE === 0) await setImmediate();
    }
  }

  function hasPriority(priority: Spender['priority']): boolean {
    for (const { spender } of listeners) if (spender.priority === priority) return true;
    return false;
  }

  function giveUp(error: unknown): void {
    for (const listener of new Set(listeners)) listener.onGivenUp(error);
  }

  /**
   * The client has logged what failed. Listeners are told nothing of what the next poll may mend: they
   * keep the latest value. A free poll that fails changes nothing: the next one comes when it was due.
   */
  async function pollNow(isFree = false): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    // A new listener may have begun this poll while a timer was set: a second timer would never be cleared.
    clearTimeout(timer);
    const began = now();
    const spenders = [...listeners].map(({ spender }) => spender);
    let retryMs: number | undefined = RETRY_MS;
    const found = await poll(spenders, isFree).catch((error: unknown) => {
      if (isFree) return undefined;
      failsSince ??= began;
      retryMs = retryAfter(error, began - failsSince);
      if (retryMs === undefined) giveUp(error);
      return undefined;
    });
    if (found) [latest, failsSince] = [found, undefined];
    if (found && listeners.size > 0) await tell(found.value);
    isPolling = false;
    if (listeners.size > 0) planNext(isFree ? latest : found, began, retryMs);
  }

  /** `began`: when the poll began that found `found`; undefined: it found nothing. */
  function planNext(found: PollResult<T> | undefined, began: number, retryMs = RETRY_MS): void {
    const isSooner = isWantedSooner;
    isWantedSooner = false;
    if (isSooner) return pollAfter(MIN_PAUSE_MS);
    if (!found || found.nextAt <= began) return pollAfter(retryMs);
    const pause = found.nextAt - now();
    if (pause <= 0) return pollAfter(found.wasHere ? MIN_PAUSE_MS : OVERDUE_MS);
    pollAt(Math.max(now() + MIN_PAUSE_MS, found.nextAt));
  }

  function pollAfter(pauseMs: number): void {
    timer = setTimeout(() => void pollNow(), pauseMs);
  }

  /**
   * Never earlier than `instant`, although timers may go off early by a part of a millisecond: the poll would find
   * the old value still fresh, and the new one would be told one poll later. `planned`: the stretch that `instant` is
   * meant for. At a smaller one what is left of the wait is shorter: a poll that finds a fresh value costs nothing.
   */
  function pollAt(instant: number, planned = stretch()): void {
    const onTimer = () => {
      const at = now();
      const lowest = Math.min(planned, stretch());
      if (at < instant) pollAt(at + ((instant - at) * lowest) / planned, lowest);
      else void pollNow();
    };
    timer = setTimeout(onTimer, Math.min(MAX_TIMER_MS, Math.ceil(instant - now())));
  }

  return {
    look: () => void (listeners.size > 0 && latest && latest.nextAt > now() && pollNow(true)),
    listen(listener) {
      // For its priority the latest value may be too old already, and the next poll too late.
      const isNewPriority = !hasPriority(listener.spender.priority);
      isWantedSooner ||= isPolling && isNewPriority;
      listeners.add(listener);
      if (latest) listener.onValue(latest.value);
      if (!latest || isNewPriority) void pollNow();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        onIdle();
      };
    },
  };
}
