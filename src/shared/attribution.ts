import { METERS, type Meter } from '../meters.ts';
import { hourAt } from '../time.ts';
import type { Purpose } from './units.ts';

/** What the stores of units have in common about who has spent what. */

/** How long it is known who has spent what. */
export const ATTRIBUTED_DAYS = 400;
/** What clients have spent on a day is counted for so many more: requests of it may be under way. */
export const COUNTED_DAYS = 2;

/**
 * What balances have shown later about requests that timed out (account.ts) belongs to no operation any
 * more; it has a line of its own, so that all lines together are what was spent.
 */
export const correctionAt = (now: number): Purpose => ({
  client: '',
  operation: '(time-outs)',
  dataset: '',
  hour: hourAt(now),
  budgets: [],
});

/** A meter by a text that was stored. */
export const meterNamed = (name: unknown): Meter | undefined =>
  METERS.find((meter) => meter === name);
