import { type Clock, HOUR_MS, hourAt } from '../time.ts';
import type { Meter } from '../meters.ts';
import { createAgingClock } from './aging.ts';
import type { Allowance } from './allowance.ts';
import { createBalanceWatch } from './balance.ts';
import { createMonths, type Month } from './calendar.ts';
import { costAt, type Costs, costsOfNeverAsked, costsOfRefresh } from './cost-curve.ts';
import { NO_PRESSURE, choosePressure, idlePressure, impliesOther, isLearning } from './decision.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import type { Aging, PaidRequest } from './lifetimes.ts';
import { reserveFor } from './never-asked.ts';
import { createPlanner, type Plan } from './planner.ts';
import { type Priority, stretchOf } from './priority.ts';
import { recentPressure } from './resume.ts';
import { createRows, type SpendingHistory } from './rows.ts';
import { slew } from './slew.ts';
import { createSpikeWatch } from './spikes.ts';
import { createWaits } from './waits.ts';

interface GovernorOptions {
  meter: Meter;
  /** `free`: the stretch is always 1. */
  spending: 'even' | 'free';
  /** The time zone of months and hours. */
  timezone: string;
  now: Clock;
  monotonic: Clock;
  allowance(meter: Meter): Allowance;
  history: SpendingHistory;
}

/** Makes a meter's monthly allowance last: docs/spending.md has the reasoning. */
export interface Governor extends Aging {
  /** Returns the factor for clients of low priority, whose data live longest: it falls whenever another one does. */
  longestStretch(): number;
  /** Returns the forecast of the month; null before anything is known. */
  forecast(): Forecast | null;
}

/** How often the stretch is decided, in milliseconds. */
const DECISION_INTERVAL_MS = 60_000;
/** Stands for the time since the last decision if that was about another allowance, or if there was none. */
const NO_SLEW_LIMIT = Infinity;

export function createGovernor(options: GovernorOptions): Governor {
  const { meter, now, monotonic } = options;
  const allowance = () => options.allowance(meter);
  const rows = createRows(meter, options.history, now());
  const planAt = createPlanner(rows, options.timezone);
  const month = createMonths(options.timezone, now);
  const aging = createAgingClock(monotonic);
  const balance = createBalanceWatch(monotonic());
  const spikes = createSpikeWatch();
  const waits = createWaits();
  let pressure = NO_PRESSURE;
  /** Whether the stated balance is in doubt: data age as configured until an answer comes. */
  let isInDoubt = false;
  let decidedAt = -Infinity;
  let plan: Plan | null = null;
  let plannedMonth: Month | undefined;
  /** Whether the history was known at the last decision. */
  let wasKnown = false;
  let longestStretch = 1;

  function decide(at: number): void {
    const passed = at - decidedAt;
    decidedAt = at;
    plannedMonth = month();
    const account = allowance();
    const hasJumped = balance.noteAccount(account, at);
    rows.refresh(at, hourAt(now()));
    if (!rows.isReady()) {
      // Decides as soon as reading the history has ended.
      decidedAt = -Infinity;
      return;
    }
    const isFirst = plan === null || (rows.isKnown() && !wasKnown);
    wasKnown = rows.isKnown();
    plan = planAt(now(), month(), account, pressure);
    if (plan === null || options.spending === 'free') return;
    pressure = isFirst
      ? firstPressure(plan, account.left)
      : nextPressure(plan, account.left, hasJumped ? NO_SLEW_LIMIT : passed);
    isInDoubt = account.isStated && balance.isInDoubt(at);
    aging.setStretch(stretchOf('NORMAL', pressureNow()), at);
    longestStretch = stretchOf('LOW', pressureNow());
  }

  /** Resumes the pressure of the last hours, unless it is unknown or implies that the allowance has changed. */
  function firstPressure(first: Plan, left: number | null): number {
    const start = Math.ceil(month().start / HOUR_MS);
    const resumed = recentPressure(rows.all(), hourAt(now()), start);
    if (resumed === null) return nextPressure(first, left, NO_SLEW_LIMIT);
    pressure = resumed;
    const isOther = left !== null && impliesOther(first.outlook, left, resumed);
    return nextPressure(first, left, isOther ? NO_SLEW_LIMIT : 0);
  }

  function nextPressure({ outlook, rhythm, running }: Plan, left: number | null, passed: number) {
    if (left === null) return NO_PRESSURE;
    // Nothing can be saved any more, and data have to expire for a request to find out whether there are units again.
    if (left === 0) return pressure;
    // For another allowance, whether to stretch at all is decided anew.
    const wanted = choosePressure(outlook, left, passed === NO_SLEW_LIMIT ? NO_PRESSURE : pressure);
    const usual = costAt(rhythm.at(running.slot), pressure) / HOUR_MS;
    const isSpike = wanted > pressure && spikes.isSpike(decidedAt, usual);
    if (isLearning(outlook) || isSpike || passed === NO_SLEW_LIMIT) return wanted;
    return slew(pressure, wanted, passed, idlePressure(outlook.costs));
  }

  /** Decides again if that is due; returns the monotonic time. */
  function upToDate(): number {
    const at = monotonic();
    if (at - decidedAt >= DECISION_INTERVAL_MS) decide(at);
    return at;
  }

  const pressureNow = (): number => (isInDoubt ? NO_PRESSURE : pressure);
  const patience = (priority: Priority): number =>
    stretchOf(priority, pressureNow()) / stretchOf('NORMAL', pressureNow());

  function costsOf({ key, lifetimeMs, waitedMs, units, priority }: PaidRequest, at: number): Costs {
    if (waitedMs === undefined) return costsOfNeverAsked(units);
    const expired = aging.at(at) - waitedMs / aging.stretch();
    const came = expired - lifetimeMs * patience(priority);
    const expiredAt = aging.realTimeOf(expired);
    const freshMs = expiredAt - aging.realTimeOf(came);
    const waitMs = waits.note(key, at - expiredAt);
    return costsOfRefresh({ units, priority, freshMs, lifetimeMs, waitMs });
  }

  return {
    now: () => aging.at(upToDate()),
    since: (ageMs) => aging.at(upToDate()) - ageMs / aging.stretch(),
    monotonicAt(instant) {
      const at = upToDate();
      return at + (instant - aging.at(at)) * aging.stretch();
    },
    stretch() {
      upToDate();
      return aging.stretch();
    },
    longestStretch() {
      upToDate();
      return longestStretch;
    },
    patience(priority) {
      upToDate();
      return patience(priority);
    },
    noteRequest(request) {
      const at = upToDate();
      balance.noteAnswer(at);
      spikes.note(at, request.units);
      rows.add(hourAt(now()), costsOf(request, at));
      if (isInDoubt) decide(at);
    },
    mayRefresh() {
      const at = upToDate();
      const { left } = allowance();
      if (options.spending === 'free' || left === null || plan === null) return true;
      const { outlook } = plan;
      // If nothing is left, the ledger decides when to check whether there are units again.
      if (left === 0 || isInDoubt || isLearning(outlook)) return true;
      // What others spend shows only in balances, which come with answers: without any, nothing is kept for them.
      return left > reserveFor(outlook.neverAsked + (balance.wasHeard(at) ? outlook.elsewhere : 0));
    },
    forecast() {
      upToDate();
      if (plannedMonth !== month()) decide(monotonic());
      const isGoverned = options.spending === 'even';
      const present = { pressure, stretch: aging.stretch(), now: now(), isGoverned };
      return plan && forecastOf(plan, allowance(), present);
    },
  };
}
