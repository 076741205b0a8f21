import { PRIORITIES, type Priority, stretchOf } from './priority.ts';

/**
 * What an hour's requests would have cost at other stretches: units at stretch 1, 2, 4 … 2^17 for each class of
 * clients, then the units of never-asked questions, then those that were paid for refreshes. Rows of the history have
 * this layout.
 */
export type Costs = Float64Array;

const POINTS = 18;
export const MAX_STRETCH = 2 ** (POINTS - 1);

/** Maximum lifetime and wait in the formula, in milliseconds: about a hundred years, in place of infinity. */
const MAX_DURATION_MS = 3e12;

/** Index of the units of questions that were never asked before: no stretch saves them. */
const NEVER_ASKED_INDEX = POINTS * PRIORITIES.length;
/** Index of the units that were actually paid for requests that replaced old data. */
const REFRESHED_INDEX = NEVER_ASKED_INDEX + 1;
const ROW_LENGTH = REFRESHED_INDEX + 1;

export const emptyCosts = (): Costs => new Float64Array(ROW_LENGTH);

/** Returns `count` empty rows in one piece of memory: allocating each would take longer than filling them. */
export function emptyCostRows(count: number): Costs[] {
  const all = new Float64Array(count * ROW_LENGTH);
  return Array.from({ length: count }, (_, i) =>
    all.subarray(i * ROW_LENGTH, (i + 1) * ROW_LENGTH),
  );
}

/** Reads a row of the history; one written by another version may be shorter or longer. */
export function costsFrom(row: readonly number[]): Costs {
  const costs = emptyCosts();
  costs.set(row.length > ROW_LENGTH ? row.slice(0, ROW_LENGTH) : row);
  return costs;
}

export const neverAsked = (costs: Costs): number => costs[NEVER_ASKED_INDEX] ?? 0;
export const refreshedUnits = (costs: Costs): number => costs[REFRESHED_INDEX] ?? 0;
export const unitsOf = (costs: Costs): number => neverAsked(costs) + refreshedUnits(costs);

/** Returns the row of a request for a question that was never asked before. */
export function costsOfNeverAsked(units: number): Costs {
  const costs = emptyCosts();
  costs[NEVER_ASKED_INDEX] = units;
  return costs;
}

/** One request that replaced old data. */
interface Refresh {
  units: number;
  priority: Priority;
  /** How long the old data had been fresh, in real time. */
  freshMs: number;
  /** The configured time to live. */
  lifetimeMs: number;
  /** The expected time between the expiry of this key and the next question for it. */
  waitMs: number;
}

/**
 * Returns what a refresh would have cost at other stretches. A key that lives for sT and is then asked for after w, on
 * average, costs 1 / (sT + w) requests per unit of time. So the time that one request served would have taken
 * (sT + w) / (s'T + w) requests at stretch s'.
 */
export function costsOfRefresh({ units, priority, freshMs, lifetimeMs, waitMs }: Refresh): Costs {
  const costs = emptyCosts();
  const wait = Math.min(MAX_DURATION_MS, Math.max(1, waitMs));
  const lifetime = Math.min(MAX_DURATION_MS, Math.max(0, lifetimeMs));
  const fresh = Math.min(MAX_DURATION_MS * MAX_STRETCH, Math.max(0, freshMs));
  const from = PRIORITIES.indexOf(priority) * POINTS;
  for (let i = 0; i < POINTS; i += 1)
    costs[from + i] = (units * (fresh + wait)) / (2 ** i * lifetime + wait);
  costs[REFRESHED_INDEX] = units;
  return costs;
}

/** Adds `times` times `added` to `costs`. */
export function addCosts(costs: Costs, added: Costs, times = 1): void {
  for (let i = 0; i < ROW_LENGTH; i += 1) costs[i]! += times * added[i]!;
}

/** Returns what refreshing costs at a pressure, for all classes together, in units. */
export function refreshCost(costs: Costs, pressure: number): number {
  let cost = 0;
  for (const [i, priority] of PRIORITIES.entries())
    cost += valueAt(costs, i * POINTS, stretchOf(priority, pressure));
  return cost;
}

/** Interpolates: between two points, the logarithm of the cost is linear in the logarithm of the stretch. */
function valueAt(costs: Costs, from: number, stretch: number): number {
  const position = Math.min(POINTS - 1, Math.log2(stretch));
  const left = Math.floor(position);
  const a = costs[from + left] ?? 0;
  const b = costs[from + Math.min(POINTS - 1, left + 1)] ?? 0;
  if (a <= 0 || b <= 0) return Math.max(0, a);
  return a * (b / a) ** (position - left);
}

/** Returns what all requests cost at a pressure, including those for never-asked questions, in units. */
export const costAt = (costs: Costs, pressure: number): number =>
  refreshCost(costs, pressure) + neverAsked(costs);
