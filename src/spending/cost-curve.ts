import { PRIORITIES, type Priority, stretchOf } from './priority.ts';

/**
 * What an hour's requests would have cost at other stretches: units at stretch 1, 2, 4 … 2^17 for each
 * class of clients, and behind them what costs the same at any stretch. Rows of the history look like this.
 */
export type Costs = Float64Array;

const POINTS = 18;
export const MAX_STRETCH = 2 ** (POINTS - 1);

/** What lives for ever lives for a hundred years: there is nothing to divide by infinity. */
const LONGEST_MS = 3e12;

/** Units of questions that were never asked before: no stretch saves them. */
const NEVER_ASKED = POINTS * PRIORITIES.length;
/** Units of requests that replaced something old, as they were really paid. */
const REFRESHED = NEVER_ASKED + 1;
const ROW_LENGTH = REFRESHED + 1;

export const emptyCosts = (): Costs => new Float64Array(ROW_LENGTH);

/** Many, in one piece of memory: a piece for each would take longer than to fill them. */
export function manyCosts(count: number): Costs[] {
  const all = new Float64Array(count * ROW_LENGTH);
  return Array.from({ length: count }, (_, i) =>
    all.subarray(i * ROW_LENGTH, (i + 1) * ROW_LENGTH),
  );
}

/** A row of the history; one of another version may be shorter or longer. */
export function costsFrom(row: readonly number[]): Costs {
  const costs = emptyCosts();
  costs.set(row.length > ROW_LENGTH ? row.slice(0, ROW_LENGTH) : row);
  return costs;
}

export const neverAsked = (costs: Costs): number => costs[NEVER_ASKED] ?? 0;
export const refreshedUnits = (costs: Costs): number => costs[REFRESHED] ?? 0;
export const unitsOf = (costs: Costs): number => neverAsked(costs) + refreshedUnits(costs);

export function costsOfFirst(units: number): Costs {
  const costs = emptyCosts();
  costs[NEVER_ASKED] = units;
  return costs;
}

/** One request that replaced something old. */
interface Refresh {
  units: number;
  priority: Priority;
  /** How long that had been fresh, in real time. */
  freshMs: number;
  /** The configured time to live. */
  lifetimeMs: number;
  /** The time between its end and the next question, as expected of this key. */
  waitMs: number;
}

/**
 * A key that lives for sT and is then asked for after w, on average, costs 1 / (sT + w) requests per unit
 * of time. So the time that one request served would have taken (sT + w) / (s'T + w) of them at stretch s'.
 */
export function costsOfRefresh({ units, priority, freshMs, lifetimeMs, waitMs }: Refresh): Costs {
  const costs = emptyCosts();
  const wait = Math.min(LONGEST_MS, Math.max(1, waitMs));
  const lifetime = Math.min(LONGEST_MS, Math.max(0, lifetimeMs));
  const fresh = Math.min(LONGEST_MS * MAX_STRETCH, Math.max(0, freshMs));
  const from = PRIORITIES.indexOf(priority) * POINTS;
  for (let i = 0; i < POINTS; i += 1)
    costs[from + i] = (units * (fresh + wait)) / (2 ** i * lifetime + wait);
  costs[REFRESHED] = units;
  return costs;
}

/** Adds `times` times the second to the first. */
export function addCosts(costs: Costs, added: Costs, times = 1): void {
  for (let i = 0; i < ROW_LENGTH; i += 1) costs[i]! += times * added[i]!;
}

/** What refreshing costs at a pressure, all classes together. */
export function refreshCost(costs: Costs, pressure: number): number {
  let cost = 0;
  for (const [i, priority] of PRIORITIES.entries())
    cost += valueAt(costs, i * POINTS, stretchOf(priority, pressure));
  return cost;
}

/** Between two points the logarithm of the cost is a straight line over that of the stretch. */
function valueAt(costs: Costs, from: number, stretch: number): number {
  const position = Math.min(POINTS - 1, Math.log2(stretch));
  const left = Math.floor(position);
  const a = costs[from + left] ?? 0;
  const b = costs[from + Math.min(POINTS - 1, left + 1)] ?? 0;
  if (a <= 0 || b <= 0) return Math.max(0, a);
  return a * (b / a) ** (position - left);
}

/** What all requests cost at a pressure, those for what was never asked before included. */
export const costAt = (costs: Costs, pressure: number): number =>
  refreshCost(costs, pressure) + neverAsked(costs);
