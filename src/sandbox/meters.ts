import type { MeterName } from './endpoint.ts';
import { ApiError } from './errors.ts';
import type { Settings } from './settings.ts';
import { dayOf, monthOf } from './time.ts';

/** Counts what is spent, and refuses what is over a quota or a rate limit (section 8). */

/** Credits that an unlimited account starts with: counted down, and topped up before they reach 0. */
const UNLIMITED_CREDITS = 100_000;

/** Units spent per counter of section 8. */
export type Spent = Record<MeterName, number>;

/** The monthly counters of section 8 and the per-second limit of Group B. */
export interface Meters {
  /** Throws an ApiError when the month's allowance is used up. */
  checkQuota: (meter: MeterName) => void;
  charge: (meter: MeterName) => void;
  creditsRemaining: () => number;
  /** Group B's rate limiter: throws an ApiError when a request comes too soon, else counts it. */
  checkRate: () => void;
  /** Units spent since the last reset, over all months. */
  spent: () => Spent;
  reset: () => void;
}

const nothing = (): Spent => ({ fx: 0, macro: 0, credits: 0 });

/** Not in the spec: when the month begins. Here it is the calendar month of Europe/Istanbul. */
function createMonth(now: () => number) {
  let month = 0;
  let used = nothing();
  return {
    used(): Spent {
      const current = monthOf(dayOf(now()));
      if (current !== month) used = nothing();
      month = current;
      return used;
    },
    reset: () => {
      used = nothing();
    },
  };
}

/** A sliding window of one second, by the sandbox's clock. Not in the spec: how the second is measured. */
function createRateLimiter(limit: () => number | null, now: () => number) {
  let accepted: number[] = [];
  return {
    check() {
      const max = limit();
      if (max === null) return;
      const at = now();
      accepted = accepted.filter((time) => time > at - 1000 && time <= at);
      if (accepted.length >= max) {
        throw new ApiError('rate_limited', `At most ${max} requests per second are allowed`);
      }
      accepted.push(at);
    },
    reset: () => {
      accepted = [];
    },
  };
}

function limitsOf(settings: Settings): Record<MeterName, number | null> {
  return { fx: settings.fxQuota, macro: settings.macroQuota, credits: settings.credits };
}

function exhausted(meter: MeterName): ApiError {
  return meter === 'credits'
    ? new ApiError('insufficient_credits', 'The monthly credit limit is used up')
    : new ApiError('quota_exceeded', `The monthly ${meter} quota is used up`);
}

/** Creates the counters and the rate limiter. Changed settings take effect at once. */
export function createMeters(settings: Settings, now: () => number): Meters {
  const month = createMonth(now);
  const limiter = createRateLimiter(() => settings.requestsPerSecond, now);
  let total = nothing();
  return {
    checkQuota(meter) {
      const limit = limitsOf(settings)[meter];
      if (limit !== null && month.used()[meter] >= limit) throw exhausted(meter);
    },
    charge(meter) {
      month.used()[meter] += 1;
      total[meter] += 1;
    },
    creditsRemaining() {
      const used = month.used().credits;
      if (settings.credits === null) return UNLIMITED_CREDITS - (used % UNLIMITED_CREDITS);
      return Math.max(0, settings.credits - used);
    },
    checkRate: limiter.check,
    spent: () => ({ ...total }),
    reset() {
      month.reset();
      limiter.reset();
      total = nothing();
    },
  };
}
