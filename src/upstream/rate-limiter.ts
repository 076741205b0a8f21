import { createFairQueue } from './fair-queue.ts';
import { whenReady } from '../maybe.ts';
import type { Permit, Granted, Permits } from '../shared/permits.ts';
import type { Clock } from '../time.ts';
import { createCommonPace, createPace, type Pace, WINDOW_MS } from './pace.ts';

/**
 * Decides when a request may be sent to one group. Time is measured by the monotonic clock, so that setting
 * the wall clock changes nothing.
 */

/**
 * Keeps requests under a per-second limit (spec section 8). A known limit is kept from the start. An
 * unknown one is learned from a refusal: as many as were sent in the second before it. Since a refusal
 * may be a stray one, the limit is soon raised again: by one after two seconds, then by two, four and so
 * on, until the next refusal. Each raise that is refused doubles the time until the next.
 *
 * It also limits how many requests are in flight: each request with a permit has a connection, so that its
 * timeout measures how long the upstream takes, not how long the request waits for a connection.
 */
export interface RateLimiter extends Pick<Pace, 'isLate' | 'noteSent' | 'noteAnswered'> {
  /**
   * Waits for a permit. Clients are served in turn, and the requests of each in their order of arrival,
   * so that many requests of one client hold up nobody else. `clients` are all that wait for this request;
   * the set is read when a permit is given, since more may join. Requests without clients, such as
   * background polls, come last. Undefined if no permit comes before `deadline` (monotonic).
   */
  acquire(deadline: number, clients?: ReadonlySet<string>): Promise<Permit | undefined>;
  /** Takes `permit` back for another request, since nothing was sent with it. */
  giveBack(permit: Permit): void;
  /** Notes that the request of `permit` has ended, in whatever way. May be called twice. */
  noteEnded(permit: Permit): void;
  /** Notes that the upstream refused the request of `permit` for exceeding the rate limit. */
  noteRefused(permit: Permit, retryAfterMs: number | undefined): void;
  /** How many requests wait for a permit, and the limit as far as it is known. */
  state(): { waiting: number; perSecond: number };
  /** Gives no more permits: all that wait get undefined, so that they do not hold up a process that stops. */
  close(): void;
}

interface RateLimiterOptions {
  /** The limit; undefined if it is not known. */
  perSecond: number | undefined;
  /** The permits of all replicas, if they keep the limit together. */
  permits?: Permits | undefined;
  monotonic: Clock;
  /** Maximum number of requests in flight. */
  maxInFlight: number;
}

/** Longest pause after a refusal. The limit is per second (section 8), so a longer Retry-After is not believed. */
const MAX_PAUSE_MS = 60_000;
/** How often deadlines are checked while the maximum number of requests is in flight. */
const CHECK_EVERY_MS = 50;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { perSecond = Infinity, permits: common, monotonic, maxInFlight } = options;
  const own = createPace(perSecond, monotonic);
  const pace = common ? createCommonPace(common, own) : own;
  const queue = createFairQueue<Waiting>();
  const inFlight = new Set<Permit>();
  /** The earliest time at which there may be a permit. */
  let next = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;
  let mustAskAgain = false;
  let isClosed = false;

  /** Asks for permits for all that wait. If called while it is asking, it asks again once the answer is there. */
  function requestPermits(): void {
    if (isAsking) return void (mustAskAgain = true);
    const wanted = Math.min(queue.size(), maxInFlight - inFlight.size);
    if (wanted === 0) return waitForEnd();
    isAsking = true;
    mustAskAgain = false;
    void whenReady(pace.take(wanted), (taken) => {
      isAsking = false;
      handOut(taken, wanted);
    });
  }

  /** Hands out the permits, refuses requests that would wait too long, and sleeps until the next permit. */
  function handOut({ permits, nextAt }: Granted, wanted: number): void {
    const takers = queue.take(permits.length);
    for (const [i, { take }] of takers.entries()) {
      inFlight.add(permits[i]!);
      take(permits[i]);
    }
    for (const permit of permits.slice(takers.length)) pace.giveBack(permit);
    next = nextAt;
    clearTimeout(timer);
    refuseWaitingBeyond(next);
    if (queue.size() === 0) return void (permits.length < wanted && pace.leave());
    if (mustAskAgain) requestPermits();
    else timer = setTimeout(requestPermits, Math.max(0, Math.ceil(next - monotonic())));
  }

  /** While the maximum number is in flight, requests wait until one ends; only deadlines are checked. */
  function waitForEnd(): void {
    clearTimeout(timer);
    refuseWaitingBeyond(monotonic());
    if (queue.size() > 0) timer = setTimeout(requestPermits, CHECK_EVERY_MS);
  }

  function refuseWaitingBeyond(time: number): void {
    for (const { take } of queue.remove(({ deadline }) => deadline < time)) take(undefined);
  }

  pace.onRoom(requestPermits);
  return {
    acquire(deadline, clients = NO_CLIENTS) {
      if (isClosed || (queue.size() > 0 && deadline < next)) return Promise.resolve(undefined);
      return new Promise((take) => {
        queue.add({ deadline, clients, take });
        // While others wait, the timer is already set.
        if (queue.size() === 1 || next <= monotonic()) requestPermits();
      });
    },
    isLate: pace.isLate,
    noteSent: pace.noteSent,
    noteAnswered: pace.noteAnswered,
    state: () => ({ waiting: queue.size(), perSecond: pace.limit() }),
    giveBack(permit) {
      inFlight.delete(permit);
      pace.giveBack(permit);
      requestPermits();
    },
    noteEnded(permit) {
      const wasFull = inFlight.size >= maxInFlight;
      if (inFlight.delete(permit) && wasFull) requestPermits();
    },
    noteRefused(permit, retryAfter) {
      pace.noteRefused(permit, Math.min(retryAfter ?? WINDOW_MS, MAX_PAUSE_MS));
      requestPermits();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      const left = queue.remove(() => true);
      for (const { take } of left) take(undefined);
      if (left.length > 0) pace.leave();
    },
  };
}

const NO_CLIENTS: ReadonlySet<string> = new Set();

interface Waiting {
  deadline: number;
  clients: ReadonlySet<string>;
  take(permit: Permit | undefined): void;
}
