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
  Unanswered,
} from './errors.ts';

/**
 * Makes requests to a dead upstream fail at once. Several outages in a row open the breaker; after a pause
 * one request is sent as a probe while the others wait for its outcome. An answer closes the breaker, another
 * outage lengthens the next pause, and a reply that is too slow resets it to the shortest.
 *
 * A request without an answer may have been charged. So if the upstream has a free check, a probe after such a request
 * is sent only once the check gets a reply, and probes that get no answer all the same are up to a minute apart.
 */
interface CircuitBreaker {
  /**
   * Runs `task`, or rejects with UPSTREAM_UNAVAILABLE (NotSent) without running it. A task that resolves
   * to undefined has sent nothing, and so says nothing about the upstream. `check` sends a free request, and rejects if that
   * gets no reply.
   */
  run<T>(task: () => Promise<T>, check?: Check): Promise<T>;
  isClosed(): boolean;
  /** Whether requests with a text wait, since a probe has just failed that had one: any other may be the next probe. */
  holdsTexts(): boolean;
}

type Check = () => Promise<unknown>;

interface Sending {
  isProbe: boolean;
  /** Whether there is a free check, with which the next probe can begin. */
  isChecked: boolean;
}
const NO_PROBE: Sending = { isProbe: false, isChecked: false };

const OUTAGES_TO_OPEN = 5;
/** Pause for requests with a text after a probe that says nothing, since the upstream may have failed on its text. */
const TEXT_PAUSE_MS = 1000;
/** Pauses before each probe, jittered. A probe every ten seconds is negligible load, and a recovery is noticed soon. */
const PAUSES = new ExponentialBackoff({ initialDelay: 1000, maxDelay: 10_000 });
/** Pauses after a probe that got no answer, while the free check gets replies: each probe may be charged. */
const UNANSWERED_PAUSES = new ExponentialBackoff({ initialDelay: 1000, maxDelay: 60_000 });

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
type Ended =
  | 'answer'
  | 'outage'
  | 'failed check'
  | 'failed probe'
  | 'slow probe'
  | 'unanswered probe';
/** What siblings hear when a probe begins. */
const PROBE_BEGINS = 'probe begins';

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
  /** Set if the last probe got no answer, so that it may have been charged. */
  let unanswered: IBackoff<unknown> | undefined;
  let openUntil = 0;
  let textsWaitUntil = 0;
  let probe: Promise<unknown> | undefined;
  /** Whether the next probe has been put off, in this pause, for that of a sibling. */
  let hasGivenWay = false;

  const topic = `circuit ${group}`;
  siblings?.listen(topic, (text) => (text === PROBE_BEGINS ? giveWay() : apply(text as Ended)));

  /** Lets a sibling's probe end first: once per pause, since that probe may end without having been sent. */
  function giveWay(): void {
    if (!pause || hasGivenWay) return;
    hasGivenWay = true;
    openUntil = Math.max(openUntil, monotonic() + pause.duration);
  }

  function apply(ended: Ended): void {
    if (ended === 'answer') {
      outages = 0;
      pause = undefined;
      unanswered = undefined;
      return;
    }
    outages += 1;
    if (ended === 'outage' && (pause || outages < OUTAGES_TO_OPEN)) return;
    // The upstream is alive, and other requests may have shorter replies: the next probe follows soon.
    if (ended === 'slow probe') pause = undefined;
    pause = pause?.next(undefined) ?? PAUSES.next();
    if (ended === 'unanswered probe')
      unanswered = unanswered?.next(undefined) ?? UNANSWERED_PAUSES.next();
    else if (ended !== 'failed check') unanswered = undefined;
    // A check costs nothing: the next one follows soon.
    const longer = ended === 'failed check' ? undefined : unanswered;
    openUntil = monotonic() + Math.max(pause.duration, longer?.duration ?? 0);
    hasGivenWay = false;
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
  function noteError(error: MarketError, { isProbe, isChecked }: Sending): void {
    if (error instanceof FailedOnText) {
      // A request without a text may be the next probe at once, so that nobody waits for those who send such texts.
      if (isProbe) textsWaitUntil = monotonic() + TEXT_PAUSE_MS;
      return;
    }
    const isCutOff = error instanceof IncompleteBody && !isTimeout(error);
    if (!isOutage(error) || isCutOff) return note('answer');
    const isSlow = error instanceof IncompleteBody;
    if (isProbe && pause) {
      if (isSlow) return note('slow probe');
      return note(isChecked && error instanceof Unanswered ? 'unanswered probe' : 'failed probe');
    }
    if (isSlow) hasUncountedSlow = !hasUncountedSlow;
    if (!isSlow || !hasUncountedSlow) note('outage');
  }

  async function attempt<T>(task: () => Promise<T>, sending: Sending): Promise<T> {
    try {
      const result = await task();
      if (result !== undefined) note('answer');
      return result;
    } catch (error) {
      if (isAboutUpstream(error)) noteError(error, sending);
      throw error;
    }
  }

  /** Rejects if the upstream is still silent, or the check was aborted. */
  async function untilReplied(check: Check): Promise<void> {
    try {
      await check();
    } catch (error) {
      if (error instanceof IncompleteBody) return;
      if (!isAboutUpstream(error)) throw error;
      note('failed check');
      throw new NotSent('UPSTREAM_UNAVAILABLE', { group });
    }
  }

  async function sendProbe<T>(task: () => Promise<T>, check?: Check): Promise<T> {
    // While texts are held back, the upstream has just replied, if only with a failure.
    if (check && unanswered && !holdsTexts()) await untilReplied(check);
    return attempt(task, { isProbe: true, isChecked: check !== undefined });
  }

  async function run<T>(task: () => Promise<T>, check?: Check): Promise<T> {
    if (!pause) return attempt(task, NO_PROBE);
    if (probe) return probe.then(() => run(task, check));
    if (monotonic() < openUntil) throw new NotSent('UPSTREAM_UNAVAILABLE', { group });
    siblings?.publish(topic, PROBE_BEGINS);
    const result = sendProbe(task, check);
    const end = () => void (probe = undefined);
    probe = result.then(end, end);
    return result;
  }

  const isClosed = () => pause === undefined;
  const holdsTexts = () => !isClosed() && monotonic() < textsWaitUntil;

  return { run, isClosed, holdsTexts };
}
