import { HOURS_OF_DAY } from './calendar.ts';
import { type Costs, MAX_STRETCH, refreshCost } from './cost-curve.ts';
import type { Outlook } from './outlook.ts';
import { pressureFor } from './priority.ts';

/** Nobody's data live longer than configured. */
export const NO_PRESSURE = 1;

/** Until a day was seen, every hour may change what is thought of all others. */
export const isLearning = ({ observedHours }: Pick<Outlook, 'observedHours'>): boolean =>
  observedHours < HOURS_OF_DAY;

/**
 * What a forecast may be wrong by in any month, and what each day adds that is as no other was: a quiet
 * weekend to come, a spike that is over. Over many days that evens out.
 */
const USUAL_ERROR = 0.08;
const ERROR_OF_DAY = 0.8;
/** What is added before a day, and before a week was seen: there are nights and weekends. */
const DAY_UNSEEN = 1.2;
const WEEK_UNSEEN = 0.15;
/** Less of it while it is night where people are: other hours will hardly have fewer questions. */
const NIGHT_SEEN = 0.2;
const BUSY = { from: 10, until: 23 };

type Known = Pick<Outlook, 'observedHours' | 'observedUnits' | 'hourOfDay' | 'hoursToCome'>;

/** By which factor spending may seem too high before anything is stretched. */
function toleranceOf({ observedHours, observedUnits, hourOfDay, hoursToCome }: Known): number {
  const days = observedHours / HOURS_OF_DAY;
  const isBusy = hourOfDay >= BUSY.from && hourOfDay < BUSY.until;
  const day = (isBusy ? DAY_UNSEEN : NIGHT_SEEN) * Math.max(0, 1 - days);
  const week = WEEK_UNSEEN * Math.min(1, Math.max(0, 1 - (days - 1) / 7));
  const usual = USUAL_ERROR + ERROR_OF_DAY / Math.sqrt(Math.max(1, hoursToCome / HOURS_OF_DAY));
  return (1 + usual + day + week) * (1 + 2 / Math.sqrt(Math.max(1, observedUnits)));
}

/** By how much less may come than expected; one more, so that the last unit of a month may be spent. */
const chanceOf = (expected: number): number => 1 + 2 * Math.sqrt(expected);

/** The least pressure at which what is left lasts; `pressure` is what there is now. */
export function choosePressure(outlook: Outlook, left: number, pressure: number): number {
  const { costs, neverAsked, elsewhere } = outlook;
  const fixed = neverAsked + elsewhere;
  const free = refreshCost(costs, NO_PRESSURE) + fixed;
  const needed = free / Math.max(1, left + chanceOf(free));
  const doubt = doubtOf(outlook, needed, pressure);
  if (needed <= doubt.tolerance) return NO_PRESSURE;
  const more = chanceOf(free) * doubt.share;
  const safety = 0.5 * Math.sqrt(fixed) * (1 - doubt.share);
  return solve(costs, (left + more) * doubt.tolerance ** doubt.share - fixed - safety);
}

/**
 * How wrong the forecast may be: `tolerance` is the overrun that is accepted without stretching, `share` the part of it
 * that is still accepted once it was exceeded. On the first day the share shrinks as the overrun grows, to none at
 * tolerance². Later it is none, and while data are stretched no tolerance applies until the stretch is back to 1.
 */
function doubtOf(outlook: Outlook, needed: number, pressure: number) {
  const tolerance = toleranceOf(outlook);
  if (!isLearning(outlook)) return { tolerance: pressure > NO_PRESSURE ? 1 : tolerance, share: 0 };
  const share = Math.max(0, Math.min(1, 2 - Math.log(needed) / Math.log(tolerance)));
  return { tolerance, share };
}

/** The least pressure at which refreshing costs at most so many units. */
export function solve(costs: Costs, units: number): number {
  let low = 0;
  let high = Math.log2(pressureFor(MAX_STRETCH));
  if (refreshCost(costs, NO_PRESSURE) <= units) return NO_PRESSURE;
  for (let i = 0; i < 40; i += 1) {
    const middle = (low + high) / 2;
    if (refreshCost(costs, 2 ** middle) <= units) high = middle;
    else low = middle;
  }
  return 2 ** high;
}

/** Up to this pressure nobody who asks is stretched: it depends on the lowest class that asks. */
export function idlePressure(costs: Costs): number {
  const free = refreshCost(costs, NO_PRESSURE);
  const starts = [pressureFor(1), pressureFor(pressureFor(1))];
  return starts.findLast((pressure) => refreshCost(costs, pressure) >= free) ?? NO_PRESSURE;
}
