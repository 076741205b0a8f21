import { HOURS_PER_DAY } from './calendar.ts';
import { type Costs, MAX_STRETCH, refreshCost } from './cost-curve.ts';
import type { Outlook } from './outlook.ts';
import { pressureFor } from './priority.ts';
import { isFarFrom } from './slew.ts';

/** How much has to be saved: the lowest pressure (priority.ts) at which what is left lasts until the month's end. */

/** The pressure at which data live as long as configured, for all clients. */
export const NO_PRESSURE = 1;

/** Whether less than a day was observed: until then every hour may change what is expected of all others. */
export const isLearning = ({ observedHours }: Pick<Outlook, 'observedHours'>): boolean =>
  observedHours < HOURS_PER_DAY;

/**
 * How wrong a forecast may be in any month, as a share, and what single unusual days add: a quiet weekend to come, a
 * spike that is over. Over many days that evens out.
 */
const USUAL_ERROR = 0.08;
const SINGLE_DAY_ERROR = 0.8;
/** What is added before a whole day, and before a whole week, was observed: nights and weekends are unknown then. */
const UNSEEN_DAY_ERROR = 1.2;
const UNSEEN_WEEK_ERROR = 0.15;
/** Replaces UNSEEN_DAY_ERROR outside busy hours: other hours will hardly have fewer questions than the night. */
const UNSEEN_DAY_ERROR_AT_NIGHT = 0.2;
const BUSY_HOURS = { from: 10, until: 23 };

type Known = Pick<Outlook, 'observedHours' | 'observedUnits' | 'hourOfDay' | 'hoursToCome'>;

/** Returns the factor by which expected spending may exceed what is left before anything is stretched. */
function toleranceOf({ observedHours, observedUnits, hourOfDay, hoursToCome }: Known): number {
  const days = observedHours / HOURS_PER_DAY;
  const isBusy = hourOfDay >= BUSY_HOURS.from && hourOfDay < BUSY_HOURS.until;
  const day = (isBusy ? UNSEEN_DAY_ERROR : UNSEEN_DAY_ERROR_AT_NIGHT) * Math.max(0, 1 - days);
  const week = UNSEEN_WEEK_ERROR * Math.min(1, Math.max(0, 1 - (days - 1) / 7));
  const usual =
    USUAL_ERROR + SINGLE_DAY_ERROR / Math.sqrt(Math.max(1, hoursToCome / HOURS_PER_DAY));
  return (1 + usual + day + week) * (1 + 2 / Math.sqrt(Math.max(1, observedUnits)));
}

/** Returns by how many units chance may lower spending, plus one, so that a month's last unit may be spent. */
const chanceOf = (expected: number): number => 1 + 2 * Math.sqrt(expected);

/** Returns the lowest pressure at which what is left lasts; `pressure` is the current one. */
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

/**
 * Whether what is left implies another allowance than the one for which a process chose this pressure. Not if it would
 * last exactly: near the month's end a little luck makes far lower pressures suffice, too.
 */
export function impliesOther(outlook: Outlook, left: number, pressure: number): boolean {
  const { costs, neverAsked, elsewhere } = outlook;
  const least = choosePressure(outlook, left, pressure);
  const most = solve(costs, left - neverAsked - elsewhere);
  const nearest = Math.min(Math.max(pressure, least), most);
  return isFarFrom(pressure, nearest, idlePressure(costs));
}

/** Returns the lowest pressure at which refreshing costs at most `units`; the highest one if even that costs more. */
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

/** Returns the pressure up to which no client that asks is stretched: it depends on the lowest class that asks. */
export function idlePressure(costs: Costs): number {
  const free = refreshCost(costs, NO_PRESSURE);
  const starts = [pressureFor(1), pressureFor(pressureFor(1))];
  return starts.findLast((pressure) => refreshCost(costs, pressure) >= free) ?? NO_PRESSURE;
}
