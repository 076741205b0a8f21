import type { MeterName } from './endpoint.ts';
import { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';
import { dayOf, monthOf } from './time.ts';

/** What an unlimited account starts with; counted down and topped up, so that it never says 0. */
const PLENTY = 100_000;

/** Units spent per counter of section 8. */
export type Spent = Record<MeterName, number>;

/** The monthly counters of section 8 and the per-second limit of Group B. */
export interface Meters {
  /** Throws when the month's allowance is used up. */
  check: (meter: MeterName) => void;
  charge: (meter: MeterName) => void;
  creditsRemaining: () => number;
  /** Throws when a Group B request comes too soon; counts it when it does not. */
  pace: () => void;
  /** Since the last reset, over all months. */
  spent: () => Spent;
  reset: () => void;
}

const nothing = (): Spent => ({ fx: 0, macro: 0, credits: 0 });

/** Not shown: when the month begins. Here it is the calendar month of Europe/Istanbul. */
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

/** Not shown: how the second is measured. Here it is the second before the request, by the sandbox's clock. */
function createPace(limit: () => number | null, now: () => number) {
  let accepted: number[] = [];
  return {
    pace() {
      const most = limit();
      if (most === null) return;
      const at = now();
      accepted = accepted.filter((time) => time > at - 1000 && time <= at);
      if (accepted.length >= most) {
        throw new Refusal('rate_limited', `At most ${most} requests per second are allowed`);
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

function exhausted(meter: MeterName): Refusal {
  return meter === 'credits'
    ? new Refusal('insufficient_credits', 'The monthly credit limit is used up')
    : new Refusal('quota_exceeded', `The monthly ${meter} quota is used up`);
}

/** Counts what is spent, and refuses what is not allowed any more. */
export function createMeters(settings: Settings, now: () => number): Meters {
  const month = createMonth(now);
  const pace = createPace(() => settings.requestsPerSecond, now);
  let total = nothing();
  return {
    check(meter) {
      const limit = limitsOf(settings)[meter];
      if (limit !== null && month.used()[meter] >= limit) throw exhausted(meter);
    },
    charge(meter) {
      month.used()[meter] += 1;
      total[meter] += 1;
    },
    creditsRemaining() {
      const used = month.used().credits;
      if (settings.credits === null) return PLENTY - (used % PLENTY);
      return Math.max(0, settings.credits - used);
    },
    pace: () => pace.pace(),
    spent: () => ({ ...total }),
    reset() {
      month.reset();
      pace.reset();
      total = nothing();
    },
  };
}
