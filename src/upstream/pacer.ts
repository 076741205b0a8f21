import type { Clock } from '../time.ts';

/** The permission to send one request. */
export interface Turn {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Keeps requests under a per-second limit (spec section 8). A known limit is kept from the start; an
 * unknown one is learnt from what was accepted in the second before a refusal, and tried one higher
 * after each quiet minute.
 */
export interface Pacer {
  /** Waits in line. Undefined where no turn comes before `deadline` (milliseconds since 1970). */
  turn(deadline: number): Promise<Turn | undefined>;
  /** The request that was sent in `turn` was refused for coming too early. */
  noteRefused(turn: Turn, retryAfterMs: number | undefined): void;
  /** Sends away whoever waits, now and from now on, so that nothing holds up a process that stops. */
  close(): void;
}

export interface PacerOptions {
  perSecond: number | undefined;
  now: Clock;
}

/** A second, and a little for requests that travel at different speeds. */
const WINDOW_MS = 1050;
const RAISE_AFTER_MS = 60_000;
/** The limit is one of seconds (section 8): a longer wait is not believed before it is tried again. */
const MAX_PAUSE_MS = 60_000;

export function createPacer({ perSecond = Infinity, now }: PacerOptions): Pacer {
  const waiting: { deadline: number; take: (turn: Turn | undefined) => void }[] = [];
  let limit = perSecond;
  let pausedUntil = 0;
  let learntAt = -Infinity;
  let given: Turn[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function nextAt(): number {
    const inTheWay = given.at(-limit);
    return Math.max(now(), pausedUntil, inTheWay === undefined ? 0 : inTheWay.at + WINDOW_MS);
  }

  /** Gives out the turns that are due, sends away who would wait too long, sleeps until the next. */
  function giveOut(): void {
    given = given.filter(({ at }) => at > now() - WINDOW_MS);
    while (waiting.length > 0 && nextAt() <= now()) {
      const turn = { at: now() };
      given.push(turn);
      waiting.shift()?.take(turn);
    }
    const next = nextAt();
    for (let i = waiting.length - 1; i >= 0; i -= 1)
      if (waiting[i]!.deadline < next) waiting.splice(i, 1)[0]?.take(undefined);
    clearTimeout(timer);
    if (waiting.length > 0) timer = setTimeout(giveOut, next - now());
  }

  return {
    turn(deadline) {
      if (isClosed) return Promise.resolve(undefined);
      if (limit < perSecond && now() - learntAt > RAISE_AFTER_MS) {
        limit += 1;
        learntAt = now();
      }
      return new Promise((take) => {
        waiting.push({ deadline, take });
        giveOut();
      });
    },
    noteRefused(turn, retryAfter) {
      const wait = Math.min(retryAfter ?? WINDOW_MS, MAX_PAUSE_MS);
      pausedUntil = Math.max(pausedUntil, now() + wait);
      if (turn.at <= learntAt) return;
      const before = given.slice(0, given.indexOf(turn));
      const accepted = before.filter(({ at }) => at > turn.at - WINDOW_MS).length;
      limit = Math.max(1, Math.min(limit, accepted));
      learntAt = now();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const { take } of waiting.splice(0)) take(undefined);
    },
  };
}

/** A Retry-After header in milliseconds: seconds, or a date. */
export function retryAfterMs(header: unknown, now: number): number | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
