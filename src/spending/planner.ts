import { HOUR_MS, hourAt } from '../time.ts';
import type { Allowance } from './allowance.ts';
import { HOURS_PER_DAY, HOURS_PER_WEEK, type Month } from './calendar.ts';
import { addCosts, type Costs, refreshCost } from './cost-curve.ts';
import { isLearning, NO_PRESSURE } from './decision.ts';
import { forecastNeverAsked } from './never-asked.ts';
import { type ComingHour, costsOf, hoursToCome, type Outlook, totalUnits } from './outlook.ts';
import { learnRhythm, type Rhythm } from './rhythm.ts';
import type { Rows } from './rows.ts';

/** Turns what was spent so far into what is to be expected: the rhythm of past hours, laid over the hours to come. */

/** What is known at a moment: how past hours were, and what is to come. */
export interface Plan {
  rhythm: Rhythm;
  /** The rest of the running hour. */
  running: ComingHour;
  later: readonly ComingHour[];
  outlook: Outlook;
}

/** What is learned anew once an hour, when other processes have added rows, and at each decision of the first day. */
interface LearnedPlan {
  rhythm: Rhythm;
  units: number;
  hours: readonly ComingHour[];
  costsOfLater: Costs;
  neverAskedPerHour: number;
  /** What an hour of the week costs on average, if nothing is stretched. */
  usualPerHour: number;
  first: number;
}

/**
 * Maximum share of what is left that is kept for others: they may take everything anyway, and keeping more would only
 * make data older.
 */
const MAX_SHARE_FOR_OTHERS = 0.5;

export function createPlanner(rows: Rows, timezone: string) {
  let known: (LearnedPlan & { key: string }) | undefined;

  /** Returns the observed part of an hour: less than 1 for the running hour, and for the one in which rows began. */
  function partOf(hour: number, now: number): number {
    const until = Math.min(now, (hour + 1) * HOUR_MS);
    return Math.max(0.01, (until - beginningOf(hour)) / HOUR_MS);
  }

  /** Returns since when an hour was observed. */
  function beginningOf(hour: number): number {
    const began = rows.began();
    return hourAt(began) === hour ? began : hour * HOUR_MS;
  }

  function learn(now: number, month: Month, pressure: number): LearnedPlan {
    const first = known?.first ?? Math.min(...rows.all().keys());
    const observedHours = Math.min(now / HOUR_MS - first, known?.rhythm.hours ?? Infinity);
    // On the first day the rhythm is learned anew at each decision.
    const isFirstDay = isLearning({ observedHours });
    const key = `${month.start} ${hourAt(now)} ${rows.version()} ${isFirstDay ? now : ''}`;
    if (known?.key === key) return known;
    const until = hourAt(now) + (isFirstDay ? 1 : 0);
    const part = (hour: number) => partOf(hour, now);
    const rhythm = learnRhythm({ rows: rows.all(), until, timezone, pressure, partOf: part });
    known = { key, ...learnFromRows(now, month, rhythm) };
    return known;
  }

  function learnFromRows(now: number, month: Month, rhythm: Rhythm): LearnedPlan {
    const all = rows.all();
    const hours = hoursToCome(hourAt(now) * HOUR_MS, month, timezone);
    const coming = hours.reduce((sum, { part }) => sum + part, 0);
    const firsts = forecastNeverAsked(all, hourAt(now), rhythm.hours, coming);
    return {
      rhythm,
      units: totalUnits(all),
      hours,
      costsOfLater: costsOf(hours.slice(1), rhythm),
      neverAskedPerHour: firsts / coming,
      usualPerHour: meanOf(rhythm),
      first: Math.min(...all.keys()),
    };
  }

  /** Returns the plan; null before anything was asked. */
  return function plan(
    now: number,
    month: Month,
    account: Allowance,
    pressure: number,
  ): Plan | null {
    if (rows.all().size === 0) return null;
    const learned = learn(now, month, pressure);
    const { rhythm, hours, costsOfLater, first } = learned;
    const running = restOf(hours[0]!, now);
    const coming = (month.end - now) / HOUR_MS;
    const seen = Math.max(1, (now - Math.max(beginningOf(first), month.start)) / HOUR_MS);
    const costs = costsOfLater.slice();
    addCosts(costs, rhythm.at(running.slot), running.part);
    // New questions, and spending elsewhere, come when all others do: so the time left is measured in usual hours.
    const usualHours = refreshCost(costs, NO_PRESSURE) / learned.usualPerHour || coming;
    return {
      rhythm,
      running,
      later: hours.slice(1),
      outlook: {
        costs,
        neverAsked: learned.neverAskedPerHour * usualHours,
        elsewhere: spentByOthers(account, usualHours / seen),
        hoursToCome: coming,
        hourOfDay: running.slot % HOURS_PER_DAY,
        observedHours: rhythm.hours,
        observedUnits: learned.units,
      },
    };
  };
}

/** Returns what others will spend if they go on as they did this month: `times` what they have spent, less `spare`. */
function spentByOthers({ elsewhere, spare, left }: Allowance, times: number): number {
  const expected = Math.max(0, elsewhere * times - spare);
  return left === null ? expected : Math.min(expected, MAX_SHARE_FOR_OTHERS * left);
}

function meanOf(rhythm: Rhythm): number {
  let sum = 0;
  for (let slot = 0; slot < HOURS_PER_WEEK; slot += 1)
    sum += refreshCost(rhythm.at(slot), NO_PRESSURE);
  return sum / HOURS_PER_WEEK;
}

function restOf({ start, part, slot }: ComingHour, now: number): ComingHour {
  const passed = Math.max(0, (now - start) / HOUR_MS);
  return { start: Math.max(start, now), part: Math.max(0, part - passed), slot };
}
