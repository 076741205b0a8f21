import { METERS, type Meter } from '../meters.ts';
import type { Purpose } from './units.ts';

/** Attribution, i.e. who has spent what: what all stores of units have in common. */

/** How long records of who has spent what are kept. */
export const ATTRIBUTION_KEPT_DAYS = 400;
/** How many days longer the counters of a day are kept: requests of that day may still be in flight. */
export const COUNTER_GRACE_DAYS = 2;

/** Names what later balances show about requests that timed out. No operation or client can have this name. */
export const CORRECTIONS = '(time-outs)';

/**
 * What later balances show about requests that timed out (stated-balance.ts) can no longer be attributed to an
 * operation. It has a line of its own, so that all lines add up to what was spent. `hour`: that of the request whose
 * answer states the balance, since it is of the same month as those that timed out.
 */
export const correctionIn = (hour: number): Purpose => ({
  client: '',
  operation: CORRECTIONS,
  dataset: '',
  hour,
  budgets: [],
});

/** Returns the meter that a stored text names; undefined if there is none. */
export const meterNamed = (name: unknown): Meter | undefined =>
  METERS.find((meter) => meter === name);
