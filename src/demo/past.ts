import { join } from 'node:path';
import { METERS, type Meter, perMeter } from '../meters.ts';
import { COLUMNS, type Counts, rowOf } from '../observe/tallies.ts';
import { LEDGER_FILE } from '../shared/sqlite/names.ts';
import { unitsInSqlite } from '../shared/sqlite/units.ts';
import type { UnitStore, Wanted } from '../shared/units.ts';
import { addCosts, costsOfNeverAsked, costsOfRefresh, emptyCosts } from '../spending/cost-curve.ts';
import { hourOfWeek, HOURS_PER_DAY } from '../spending/calendar.ts';
import { HOUR_MS, hourAt, monthAt } from '../time.ts';

/** Makes up the demo's history: what clients spent in the last five weeks, as a gateway would have stored it. */

/** A client of the demo: its share of all questions, by weight, and the operations that it runs. */
export interface DemoClient {
  name: string;
  share: number;
  operations: readonly string[];
}

/** Where the demo's units go: units in a busy hour, questions per unit, age of answers, duration of requests. */
const DATASETS: readonly Spent[] = [
  { dataset: 'fx rates', meter: 'fx', units: 6, questions: 90, ageS: 28, takesMs: 41 },
  { dataset: 'fx history', meter: 'fx', units: 2.5, questions: 22, ageS: 140, takesMs: 66 },
  { dataset: 'macro catalog', meter: 'macro', units: 0.15, questions: 40, ageS: 9000, takesMs: 73 },
  { dataset: 'macro series', meter: 'macro', units: 1.1, questions: 19, ageS: 1700, takesMs: 58 },
  { dataset: 'legislation', meter: 'credits', units: 0.8, questions: 14, ageS: 400, takesMs: 180 },
  { dataset: 'calendar', meter: 'credits', units: 2.2, questions: 31, ageS: 150, takesMs: 95 },
  { dataset: 'crypto', meter: 'credits', units: 9, questions: 120, ageS: 16, takesMs: 52 },
];

interface Spent {
  dataset: string;
  meter: Meter;
  units: number;
  questions: number;
  ageS: number;
  takesMs: number;
}

const DAYS = 35;
/** Seed of the random numbers, so that the demo looks the same at every start. */
const SEED = 20_261_122;

/** Units of the current month, by meter. */
type Units = Record<Meter, number>;

/** Units spent in the current month so far, and units that the whole of it would take at this rate. */
export interface ThisMonth {
  spent: Units;
  whole: Units;
}

export function writePast(
  folder: string,
  clients: readonly DemoClient[],
  { now, timezone }: { now: number; timezone: string },
): ThisMonth {
  const random = randomFrom(SEED);
  const store = unitsInSqlite({
    path: join(folder, LEDGER_FILE),
    now: () => now,
    onTrouble: { begins: (reason) => void process.stderr.write(reason), ends: () => undefined },
  });
  const spent: Record<Meter, Wanted[]> = { fx: [], macro: [], credits: [] };
  for (let hour = hourAt(now) - DAYS * HOURS_PER_DAY; hour < hourAt(now); hour += 1)
    for (const one of DATASETS) {
      const busy = busyness(hour, timezone);
      const units = poisson(one.units * busy, random);
      const lines = Array.from({ length: units }, () => lineOf(hour, one, clients, random));
      spent[one.meter].push(...lines);
      store.history.add(rowOf(one.dataset), hour, countsOf(one, busy, units, random));
      store.history.add(one.meter, hour, [...learnedFrom(one, units)]);
    }
  const sums = addToMonths(store, spent, { now, timezone });
  store.close();
  const rest = restOfMonth(now, timezone);
  return { spent: sums, whole: perMeter((meter) => sums[meter] + rest[meter]) };
}

/** What the hours to come until the month ends would take. */
function restOfMonth(now: number, timezone: string): Units {
  const rest = { fx: 0, macro: 0, credits: 0 };
  const month = monthAt(now, timezone);
  for (let hour = hourAt(now); monthAt(hour * HOUR_MS, timezone) === month; hour += 1)
    for (const { meter, units } of DATASETS) rest[meter] += units * busyness(hour, timezone);
  return rest;
}

/** How busy an hour is, from 0 to 1: people ask less at night and on weekends. */
function busyness(hour: number, timezone: string): number {
  const ofWeek = hourOfWeek(hour, timezone);
  const ofDay = ofWeek % HOURS_PER_DAY;
  // Hours of the week are counted from Thursday.
  const isWeekend = ofWeek >= 48 && ofWeek < 96;
  const day = Math.max(0.08, Math.sin(((ofDay - 6) / 17) * Math.PI));
  return day * (isWeekend ? 0.4 : 1);
}

function lineOf(
  hour: number,
  { dataset }: Spent,
  clients: readonly DemoClient[],
  random: () => number,
): Wanted {
  let left = random() * clients.reduce((sum, { share }) => sum + share, 0);
  const client = clients.find(({ share }) => (left -= share) < 0) ?? clients[0]!;
  const operation = client.operations[Math.floor(random() * client.operations.length)] ?? '';
  const purpose = { client: client.name, operation, dataset, hour, budgets: [] };
  return { purpose, requests: 1, cost: 1 };
}

function countsOf(one: Spent, busy: number, units: number, random: () => number): number[] {
  const questions = Math.max(units, poisson(one.units * one.questions * busy, random));
  const failed = random() < 0.01 * units ? 1 : 0;
  const requests = units + failed;
  const counts: Counts = {
    questions,
    hits: questions - units,
    stale: failed,
    ageMs: questions * one.ageS * 1000 * (0.8 + random() * 0.4),
    requests,
    failed,
    durationMs: requests * one.takesMs * (0.7 + random() * 0.6),
  };
  return COLUMNS.map((column) => counts[column]);
}

/** How many times longer than configured answers were kept. */
const STRETCH: Record<Meter, number> = { fx: 1, macro: 1, credits: 1.5 };

/** What the governor would have learned from an hour: most requests have refreshed expired answers. */
function learnedFrom({ ageS, meter }: Spent, units: number) {
  const costs = emptyCosts();
  const lifetimeMs = 2000 * ageS;
  const freshMs = lifetimeMs * STRETCH[meter];
  const refresh = {
    units: 1,
    priority: 'NORMAL',
    freshMs,
    lifetimeMs,
    waitMs: lifetimeMs / 4,
  } as const;
  for (let i = 0; i < units; i += 1)
    addCosts(costs, i % 8 === 0 ? costsOfNeverAsked(1) : costsOfRefresh(refresh));
  return costs;
}

function addToMonths(
  store: UnitStore,
  spent: Record<Meter, Wanted[]>,
  { now, timezone }: { now: number; timezone: string },
): Units {
  const thisMonth = monthAt(now, timezone);
  const sums = { fx: 0, macro: 0, credits: 0 };
  for (const meter of METERS) {
    const months = Map.groupBy(spent[meter], ({ purpose }) =>
      monthAt(purpose.hour * HOUR_MS, timezone),
    );
    for (const [month, lines] of months) {
      const nothing = {
        take: [],
        limit: undefined,
        look: undefined,
        ended: [],
        underWay: 0,
        held: 0,
      };
      void store.apply({ month, meter }, { number: 1, ...nothing, spent: lines });
      if (month === thisMonth) sums[meter] = lines.length;
    }
  }
  return sums;
}

function poisson(mean: number, random: () => number): number {
  // For large means, only the size matters here.
  if (mean > 30) return Math.round(mean * (0.85 + random() * 0.3));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** Returns a source of numbers from 0 to 1. A linear congruential generator is random enough for a demo. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
