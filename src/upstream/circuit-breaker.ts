import { ExponentialBackoff, type IBackoff } from 'cockatiel';
import type { Group } from '../meters.ts';
import type { News } from '../shared/news.ts';
import type { Clock } from '../time.ts';
import {
  Aborted,
  FailedOnText,
  IncompleteBody,
  isTimeout,
  MarketError,
  NotSent,
} from './errors.ts';

/**
 * Makes requests to a dead upstream fail at once. Several outages in a row open the breaker; after a pause
 * one request is sent as a probe while the others wait for its outcome. An answer closes the breaker, another
 * outage lengthens the next pause, and a reply that is too slow resets it to the shortest.
 */
interface CircuitBreaker {
  /**
   * Runs `task`, or rejects with UPSTREAM_UNAVAILABLE (NotSent) without running it. A task that resolves
   * to undefined has sent nothing, and so says nothing about the upstream.
   */
  run<T>(task: () => Promise<T>): Promise<T>;
  isClosed(): boolean;
}

const OUTAGES_TO_OPEN = 5;
/** Pause after a probe that says nothing, since the upstream may have failed on a text. */
const TEXT_PAUSE_MS = 1000;
/** Pauses before each probe, jittered. A probe every ten seconds is negligible load, and a recovery is noticed soon. */
const PAUSES = new ExponentialBackoff({ initialDelay: 1000, maxDelay: 10_000 });

/** Whether the upstream was asked but gave no answer: a timeout, a failed connection or a 5xx. */
export function isOutage(error: unknown): boolean {
  if (!isAboutUpstream(error)) return false;
  return error.code === 'UPSTREAM_TIMEOUT' || error.code === 'UPSTREAM_UNAVAILABLE';
}

/** Whether the error says something about the upstream's health; even a refusal shows that it is alive. */
function isAboutUpstream(error: unknown): error is MarketError {
  return error instanceof MarketError && !(error instanceof NotSent || error instanceof Aborted);
}

/** How a request ended, as far as that says something about the upstream's health. */
type Ended = 'answer' | 'outage' | 'failed probe' | 'slow probe';

/** `siblings`: processes that reach the upstream over the same line. They count outages and close together. */
export function createCircuitBreaker(
  group: Group,
  monotonic: Clock,
  siblings?: News,
): CircuitBreaker {
  let outages = 0;
  /** Whether there was a slow reply that is not counted yet: two of them count as one outage. */
  let hasUncountedSlow = false;
  /** Set while the breaker is open. */
  let pause: IBackoff<unknown> | undefined;
  let openUntil = 0;
  let probe: Promise<unknown> | undefined;

  const topic = `circuit ${group}`;
  siblings?.listen(topic, (ended) => apply(ended as Ended));

  function apply(ended: Ended): void {
    if (ended === 'answer') {
      outages = 0;
      pause = undefined;
      return;
    }
    outages += 1;
    if (ended === 'outage' && (pause || outages < OUTAGES_TO_OPEN)) return;
    // The upstream is alive, and other requests may have shorter replies: the next probe follows soon.
    if (ended === 'slow probe') pause = undefined;
    pause = pause?.next(undefined) ?? PAUSES.next();
    openUntil = monotonic() + pause.duration;
  }

  function note(ended: Ended): void {
    if (ended === 'answer') hasUncountedSlow = false;
    // Without an earlier outage an answer changes nothing.
    if (ended === 'answer' && outages === 0) return;
    apply(ended);
    siblings?.publish(topic, ended);
  }

  /**
   * A reply that is cut off shows that the upstream is alive, as a refusal does. A reply that stalls does not, and one
   * that was still arriving at the timeout counts as half an outage: others may be shorter.
   */
  function noteError(error: MarketError, isProbe: boolean): void {
    if (error instanceof FailedOnText) {
      // All that wait fail at once, instead of being the next probe one after the other.
      if (isProbe) openUntil = monotonic() + TEXT_PAUSE_MS;
      return;
    }
    const isCutOff = error instanceof IncompleteBody && !isTimeout(error);
    if (!isOutage(error) || isCutOff) return note('answer');
    const isSlow = error instanceof IncompleteBody;
    if (isProbe) return note(isSlow ? 'slow probe' : 'failed probe');
    if (isSlow) hasUncountedSlow = !hasUncountedSlow;
    if (!isSlow || !hasUncountedSlow) note('outage');
  }

  async function attempt<T>(task: () => Promise<T>, isProbe: boolean): Promise<T> {
    try {
      const result = await task();
      if (result !== undefined) note('answer');
      return result;
    } catch (error) {
      if (isAboutUpstream(error)) noteError(error, isProbe);
      throw error;
    }
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (probe) return probe.then(() => run(task));
    if (!pause) return attempt(task, false);
    if (monotonic() < openUntil) throw new NotSent('UPSTREAM_UNAVAILABLE', { group });
    const result = attempt(task, true);
    const end = () => void (probe = undefined);
    probe = result.then(end, end);
    return result;
  }

  return { run, isClosed: () => pause === undefined };
}
