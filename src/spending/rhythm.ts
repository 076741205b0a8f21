import { HOURS_PER_DAY, HOURS_PER_WEEK, hourOfWeek } from './calendar.ts';
import { addCosts, costAt, type Costs, emptyCostRows } from './cost-curve.ts';

/** What each hour of the week usually costs, learned from past hours. */

/** Half-life of the weight of past hours, in hours: older ones count less, since demand changes. */
const HALF_LIFE_HOURS = 20 * HOURS_PER_DAY;
/**
 * How many observed hours a fallback counts as: for an hour of the week, the same hour of all days (`ofDay`); for an
 * hour of the day, all hours (`all`).
 */
const FALLBACK_HOURS = { ofDay: 0.3, all: 0.3 };
/**
 * An hour is a spike if it costs more than SPIKE_FACTOR times the same hour of other days, plus SPIKE_DEVIATIONS
 * standard deviations.
 */
const SPIKE_FACTOR = 4;
const SPIKE_DEVIATIONS = 8;
const LATEST_HOURS = 3;
/**
 * Longest gap between requests that counts as hours without demand: 24 hours, or half of those since the first request,
 * up to MAX_GAP_HOURS. In a longer one the gateway was not running, or had only been tried out before it.
 */
const MIN_GAP_HOURS = 24;
const MAX_GAP_HOURS = 72;

/** What is known of past hours. */
interface Observed {
  rows: ReadonlyMap<number, Costs>;
  /** Which part of an hour has been observed, 0 to 1. */
  partOf(hour: number): number;
  /** The hour after the last that counts. */
  until: number;
  timezone: string;
  /** The pressure at which the costs of hours are compared to detect spikes. */
  pressure: number;
}

interface Mean {
  sum: Costs;
  weight: number;
}

const emptyMeans = (count: number): Mean[] =>
  emptyCostRows(count).map((sum) => ({ sum, weight: 0 }));

function addTo(mean: Mean, row: Costs | undefined, weight: number, part: number): void {
  if (row) addCosts(mean.sum, row, weight);
  mean.weight += weight * part;
}

interface Hour {
  row: Costs | undefined;
  slot: number;
  part: number;
  weight: number;
}

/** Returns all hours since the first row, including those in which nobody asked; long gaps are left out. */
function hoursOf({ rows, partOf, until, timezone }: Observed): Hour[] {
  const known = [...rows.keys()].filter((hour) => hour < until).toSorted((a, b) => a - b);
  const hours: Hour[] = [];
  for (const [i, first] of known.entries()) {
    const next = known[i + 1] ?? until;
    const longest = Math.min(MAX_GAP_HOURS, Math.max(MIN_GAP_HOURS, (first - known[0]!) / 2));
    const end = next - first > longest ? first + 1 : next;
    for (let hour = first; hour < end; hour += 1)
      hours.push({
        row: rows.get(hour),
        slot: hourOfWeek(hour, timezone),
        part: partOf(hour),
        weight: 0.5 ** ((until - hour) / HALF_LIFE_HOURS),
      });
  }
  return hours;
}

const ofDay = (slot: number): number => slot % HOURS_PER_DAY;

/** Removes spikes: an hour that costs far more than the same hour of other days is scaled down to their mean. */
function withoutSpikes(hours: readonly Hour[], pressure: number): Hour[] {
  const units = hours.map(({ row }) => (row ? costAt(row, pressure) : 0));
  const days = Array.from({ length: HOURS_PER_DAY }, () => ({ units: 0, parts: 0 }));
  for (const [i, { slot, part }] of hours.entries()) {
    const day = days[ofDay(slot)]!;
    day.units += units[i]!;
    day.parts += part;
  }
  return hours.map((hour, i) => {
    const own = units[i]!;
    const sameHour = days[ofDay(hour.slot)]!;
    const others = sameHour.parts - hour.part;
    if (!hour.row || others < 1) return hour;
    const usual = Math.max(0, ((sameHour.units - own) / others) * hour.part);
    if (own <= SPIKE_FACTOR * usual + SPIKE_DEVIATIONS * Math.sqrt(usual + 1)) return hour;
    return { ...hour, row: hour.row.map((value) => (value * usual) / own) };
  });
}

export interface Rhythm {
  /** What an hour of the week costs. */
  at(slot: number): Costs;
  /** How many hours were observed. */
  hours: number;
}

/** Learns what each hour of the week costs; what is unknown is taken from the same hour of other days, or from all. */
export function learnRhythm(observed: Observed): Rhythm {
  const hours = withoutSpikes(hoursOf(observed), observed.pressure);
  const weeks = emptyMeans(HOURS_PER_WEEK);
  const days = emptyMeans(HOURS_PER_DAY);
  const all = emptyMeans(1)[0]!;
  for (const { row, slot, weight, part } of hours) addTo(weeks[slot]!, row, weight, part);
  for (const [slot, { sum, weight }] of weeks.entries()) addTo(days[ofDay(slot)]!, sum, 1, weight);
  for (const { sum, weight } of days) addTo(all, sum, 1, weight);

  blend(all, null, 1e-9);
  const latest = meanOfLatest(hours);
  for (const mean of days) blend(mean, mean.weight > 0 ? all.sum : latest, FALLBACK_HOURS.all);
  for (const [slot, mean] of weeks.entries())
    blend(mean, days[ofDay(slot)]!.sum, FALLBACK_HOURS.ofDay);
  return {
    at: (slot) => weeks[slot]!.sum,
    hours: hours.reduce((sum, { part }) => sum + part, 0),
  };
}

/**
 * Returns the mean of the latest hours. Hours of the day that were never seen are taken to be like them: more like the
 * day that has begun than like the night before.
 */
function meanOfLatest(hours: readonly Hour[]): Costs {
  const mean = emptyMeans(1)[0]!;
  for (const { row, part } of hours.slice(-LATEST_HOURS)) addTo(mean, row, 1, part);
  blend(mean, null, 1e-9);
  return mean.sum;
}

/** Turns the sum into the mean of the observed hours and of a fallback (`otherwise`) that counts as `fallbackHours`. */
function blend({ sum, weight }: Mean, otherwise: Costs | null, fallbackHours: number): void {
  if (otherwise) addCosts(sum, otherwise, fallbackHours);
  for (let i = 0; i < sum.length; i += 1) sum[i]! /= weight + fallbackHours;
}
