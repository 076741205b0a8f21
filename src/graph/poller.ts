import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../time.ts';
import type { Spender } from '../usage/operation.ts';

/** What a poll of a dataset returned, and when the next one is due (on the monotonic clock). */
export interface PollResult<T> {
  value: T;
  nextAt: number;
  /** Whether the next one is due at once, e.g. since the wall clock was set: checked once a minute. */
  isDue?(): boolean;
  /** Whether the value was cached already, so that nothing was requested. */
  wasCached?: boolean;
}

/** Polls a dataset while it has listeners, once for all of them. Knows nothing about what it polls. */
export interface Poller<T> {
  /**
   * Calls the listener with the latest value, if there is one, and with every later one. Returns a
   * function that stops listening.
   */
  listen(listener: Listener<T>): () => void;
  /**
   * Takes up data that has just come another way. Does nothing unless all that is polled
   * is cached, so it costs nothing.
   */
  look(): void;
}

interface Listener<T> {
  onValue(value: T): void;
  /** Called if what it listens to can never be polled: no value will come. */
  onGivenUp(error: unknown): void;
  /** Who may have to pay for a poll. */
  spender: Spender;
}

interface PollerOptions<T> {
  /**
   * `spenders` returns those of all listeners at that moment, the longest-listening first. `isFree`: rejects if
   * anything would have to be paid.
   */
  poll(spenders: () => readonly Spender[], isFree: boolean): Promise<PollResult<T>>;
  monotonic: Clock;
  /**
   * The factor by which the time to live of the polled data is stretched at present. If it falls, polls come sooner.
   */
  stretch(): number;
  /**
   * In how many milliseconds the next poll comes after a failed one; undefined if it would always fail. `forMs`: for
   * how long all polls have failed by then.
   */
  retryAfter(error: unknown, forMs: number): number | undefined;
  /** Called when the last listener has left: no timer is running then. */
  onIdle(): void;
}

/** When the next poll comes: at `instant`, which was computed for the stretch `planned`, or once `isDue`. */
interface Plan {
  instant: number;
  planned: number;
  isDue?: PollResult<unknown>['isDue'];
}

/** Minimum pause between planned polls, in milliseconds. */
const MIN_PAUSE_MS = 50;
/**
 * Longest wait without checking the stretch and the wall clock again, in milliseconds: how late a poll may come after
 * data that expired, or were due, sooner than expected.
 */
const MAX_TIMER_MS = 60_000;
/** Pause after a poll that failed, or returned only data that was stale before it began, in milliseconds. */
export const RETRY_MS = 5000;
/** Pause after a poll that sent a request and whose value was no longer fresh when it came, in milliseconds. */
const OVERDUE_MS = 1000;

/** Number of listeners that are told a value before other work gets the processor. */
const LISTENERS_AT_ONCE = 50;

export function createPoller<T>(options: PollerOptions<T>): Poller<T> {
  const { poll, monotonic, stretch, retryAfter, onIdle } = options;
  const listeners = new Set<Listener<T>>();
  let latest: PollResult<T> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** When `timer` is to poll. */
  let plan: Plan | undefined;
  let isPolling = false;
  let failsSince: number | undefined;
  /**
   * Whether a listener of another priority came during a poll, whose value may be too old for it: the
   * next poll then follows at once.
   */
  let isWantedSooner = false;

  const spenders = () => [...listeners].map(({ spender }) => spender);

  /** Tells all listeners; those that begin to listen meanwhile have been told already. */
  async function notify(value: T): Promise<void> {
    let count = 0;
    for (const listener of new Set(listeners)) {
      if (listeners.has(listener)) listener.onValue(value);
      count += 1;
      if (count % LISTENERS_AT_ONCE === 0) await setImmediate();
    }
  }

  function giveUp(error: unknown): void {
    for (const listener of new Set(listeners)) listener.onGivenUp(error);
  }

  /**
   * Polls, tells the listeners and plans the next poll. A failure has been logged by the upstream client; listeners are
   * told nothing of one that the next poll may mend, and keep the latest value. A free poll that fails changes nothing:
   * the next one comes as planned.
   */
  async function pollNow(isFree = false): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    // A new listener may have begun this poll while a timer was set: a second timer would never be cleared.
    clearTimeout(timer);
    const began = monotonic();
    let retryMs: number | undefined = RETRY_MS;
    const found = await poll(spenders, isFree).catch((error: unknown) => {
      if (isFree) return undefined;
      failsSince ??= began;
      retryMs = retryAfter(error, began - failsSince);
      if (retryMs === undefined) giveUp(error);
      return undefined;
    });
    if (found) [latest, failsSince] = [found, undefined];
    if (found && listeners.size > 0) await notify(found.value);
    isPolling = false;
    if (listeners.size === 0) return;
    if (isFree && !found && plan && !isWantedSooner) pollAt(plan);
    else planNext(found, began, retryMs);
  }

  /**
   * `began`: when the poll began. `found`: what it found; undefined if it failed. If `retryMs` is undefined, it has given
   * up: the listeners leave in a moment, and the last one clears the timer that is set here.
   */
  function planNext(found: PollResult<T> | undefined, began: number, retryMs = RETRY_MS): void {
    const isSooner = isWantedSooner;
    isWantedSooner = false;
    if (isSooner) return pollAfter(MIN_PAUSE_MS);
    if (!found || found.nextAt <= began) return pollAfter(retryMs);
    const pause = found.nextAt - monotonic();
    if (pause <= 0) return pollAfter(found.wasCached ? MIN_PAUSE_MS : OVERDUE_MS);
    const instant = Math.max(monotonic() + MIN_PAUSE_MS, found.nextAt);
    pollAt({ instant, isDue: found.isDue, planned: stretch() });
  }

  const pollAfter = (pauseMs: number) =>
    pollAt({ instant: monotonic() + pauseMs, planned: stretch() });

  /**
   * Polls as planned, never earlier, although timers may fire a fraction of a millisecond early: the poll would find
   * the old value still fresh, and the new one would be told one poll later. If the stretch has fallen since the plan
   * was made, the rest of the wait is shortened in proportion; a poll that comes too early finds a fresh value and
   * costs nothing.
   */
  function pollAt({ instant, isDue, planned }: Plan): void {
    plan = { instant, isDue, planned };
    const onTimer = () => {
      const at = monotonic();
      const lowest = Math.min(planned, stretch());
      if (at >= instant || isDue?.()) void pollNow();
      else pollAt({ instant: at + ((instant - at) * lowest) / planned, isDue, planned: lowest });
    };
    // The instant may have passed by now: deciding on the stretch takes some time, once a minute.
    const pauseMs = Math.max(1, Math.ceil(instant - monotonic()));
    timer = setTimeout(onTimer, Math.min(MAX_TIMER_MS, pauseMs));
  }

  return {
    look: () => void (listeners.size > 0 && pollNow(true)),
    listen(listener) {
      // For a new priority the latest value may be too old already, and the next poll too late.
      const { priority } = listener.spender;
      const isNewPriority = listeners
        .values()
        .every(({ spender }) => spender.priority !== priority);
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
