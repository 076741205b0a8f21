import { createFairQueue } from './fair-queue.ts';
import { whenReady } from '../maybe.ts';
import type { Permit, Granted, Permits } from '../shared/permits.ts';
import type { Clock } from '../time.ts';
import { createCommonPace, createPace, type Pace, WINDOW_MS } from './pace.ts';

/**
 * Decides when a request may go to one group. Time is measured by the monotonic clock, so that setting the
 * wall clock changes nothing.
 */

/**
 * Keeps requests under a per-second limit (spec section 8). A known limit is kept from the start. An
 * unknown one is learnt from a refusal: as many as were sent in the second before it. Since a refusal
 * may be a stray one, more is soon tried again: one more after two seconds, then two, four and so on,
 * until the next refusal. Each trial that is refused doubles the time until the next.
 *
 * It also bounds how many requests are under way: one that has a permit has a connection, so that its time-out
 * counts what the upstream takes and not how long it waits for one.
 */
export interface RateLimiter extends Pick<Pace, 'isLate' | 'noteSent' | 'noteAnswered'> {
  /**
   * Waits for a permit. The clients that wait are served in turn, each in its own order of arrival,
   * so that the many requests of one hold up nobody else. `clients` are all who wait for this request;
   * it is read when a permit is given, since more may join. Requests of nobody, as background polls
   * are, come last. Undefined where no permit comes before `deadline` (monotonic).
   */
  acquire(deadline: number, clients?: ReadonlySet<string>): Promise<Permit | undefined>;
  /** Nothing was sent with `permit`: somebody else may have it. */
  giveBack(permit: Permit): void;
  /** The request of `permit` is over, whatever became of it. May be told twice. */
  noteEnded(permit: Permit): void;
  /** The request that was sent with `permit` was refused for coming too early. */
  noteRefused(permit: Permit, retryAfterMs: number | undefined): void;
  /** How many requests wait for a permit, and the limit as it is known. */
  state(): { waiting: number; perSecond: number };
  /** Gives no more permits: all who wait get undefined, so that they hold up no process that stops. */
  close(): void;
}

interface RateLimiterOptions {
  /** Undefined: not known. */
  perSecond: number | undefined;
  /** Where replicas keep the limit together. */
  permits?: Permits | undefined;
  monotonic: Clock;
  /** So many requests are under way at a time. */
  maxUnderWay: number;
}

/** The limit is per second (section 8): a longer wait is not believed, but tried again after this. */
const MAX_WAIT_MS = 60_000;
/** How often deadlines are checked while no more requests may be under way. */
const LOOK_EVERY_MS = 50;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { perSecond = Infinity, permits: common, monotonic, maxUnderWay } = options;
  const own = createPace(perSecond, monotonic);
  const pace = common ? createCommonPace(common, own) : own;
  const queue = createFairQueue<Waiting>();
  const underWay = new Set<Permit>();
  /** Before this there is no permit. */
  let next = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;
  let isAskedAgain = false;
  let isClosed = false;

  /** Asks for permits for all who wait. What happens meanwhile is asked for when the answer is there. */
  function giveDue(): void {
    if (isAsking) return void (isAskedAgain = true);
    const wanted = Math.min(queue.size(), maxUnderWay - underWay.size);
    if (wanted === 0) return waitForEnd();
    isAsking = true;
    isAskedAgain = false;
    void whenReady(pace.take(wanted), (taken) => {
      isAsking = false;
      give(taken, wanted);
    });
  }

  /** Gives the permits that are due, refuses who would wait too long, sleeps until the next. */
  function give({ permits, nextAt }: Granted, wanted: number): void {
    const takers = queue.take(permits.length);
    for (const [i, { take }] of takers.entries()) {
      underWay.add(permits[i]!);
      take(permits[i]);
    }
    for (const permit of permits.slice(takers.length)) pace.giveBack(permit);
    next = nextAt;
    clearTimeout(timer);
    refuseWhoWaitsUntil(next);
    if (queue.size() === 0) return void (permits.length < wanted && pace.leave());
    if (isAskedAgain) giveDue();
    else timer = setTimeout(giveDue, Math.max(0, Math.ceil(next - monotonic())));
  }

  /** As many are under way as may be: who waits goes on when one of them ends. */
  function waitForEnd(): void {
    clearTimeout(timer);
    refuseWhoWaitsUntil(monotonic());
    if (queue.size() > 0) timer = setTimeout(giveDue, LOOK_EVERY_MS);
  }

  function refuseWhoWaitsUntil(time: number): void {
    for (const { take } of queue.remove(({ deadline }) => deadline < time)) take(undefined);
  }

  pace.onRoom(giveDue);
  return {
    acquire(deadline, clients = NOBODY) {
      if (isClosed || (queue.size() > 0 && deadline < next)) return Promise.resolve(undefined);
      return new Promise((take) => {
        queue.add({ deadline, clients, take });
        // While others wait the timer is set already.
        if (queue.size() === 1 || next <= monotonic()) giveDue();
      });
    },
    isLate: pace.isLate,
    noteSent: pace.noteSent,
    noteAnswered: pace.noteAnswered,
    state: () => ({ waiting: queue.size(), perSecond: pace.limit() }),
    giveBack(permit) {
      underWay.delete(permit);
      pace.giveBack(permit);
      giveDue();
    },
    noteEnded(permit) {
      const wasFull = underWay.size >= maxUnderWay;
      if (underWay.delete(permit) && wasFull) giveDue();
    },
    noteRefused(permit, retryAfter) {
      pace.noteRefused(permit, Math.min(retryAfter ?? WINDOW_MS, MAX_WAIT_MS));
      giveDue();
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

const NOBODY: ReadonlySet<string> = new Set();

interface Waiting {
  deadline: number;
  clients: ReadonlySet<string>;
  take(permit: Permit | undefined): void;
}
