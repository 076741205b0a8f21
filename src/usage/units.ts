import type { Maybe } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import type { UnitStore } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import type { Refused } from './takers.ts';

/** One meter as clients see it; `remaining` is null where nobody knows. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** How a request ended for which a unit was set aside. */
interface RequestCost {
  /** What it really cost: 0 gives the unit back. */
  units: number;
  /** What the upstream says is left: the truth about it. */
  remaining?: number | undefined;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  exhausted?: boolean;
}

/** A unit set aside before its request is sent. Whatever the answer says is booked to the same month. */
export interface Reservation {
  /** To be called once. */
  end(cost: RequestCost): void;
  /**
   * The request was sent and no status came in time: nobody knows whether it was charged. Returns the
   * units that it counts as, 1 or 0, until a stated balance shows otherwise.
   */
  endTimedOut(): number;
}

/**
 * Units spent per meter and calendar month, counted where all processes count them (spec section 8). The
 * wall clock names the month; how long a meter stays closed is measured by the monotonic one.
 *
 * A unit counts as spent from the moment it is reserved and is given back only when its request ends
 * without a paid answer, so a crash in between can never hide a unit. Nothing here throws: while the
 * store cannot be used, meters with a limit reserve nothing but what was granted in advance, and all
 * else is counted in memory and stored later.
 */
export interface Ledger {
  /**
   * Refused where nothing may be sent: the allowance is used up; or a limit is set, the store cannot be
   * used, and what is spent might pass the limit.
   */
  reserve(meter: Meter): Maybe<Reservation | Refused>;
  /** How many requests could be paid for right now; Infinity where nobody knows. */
  left(meter: Meter): number;
  /** Whether one could be. */
  isOpen(meter: Meter): boolean;
  /** The same object as before while nothing has changed. */
  states(): Record<Meter, MeterState>;
  close(): Promise<void>;
}

export interface LedgerOptions {
  store: UnitStore;
  limits: Record<Meter, number | undefined>;
  /** Whether a request that timed out counts as charged; undefined: where its meter has a limit. */
  timeoutsCount?: boolean | undefined;
  timezone: string;
  now: Clock;
  monotonic: Clock;
  /** Called once, when the upstream's balance shows that somebody else spends from it. */
  onSpentElsewhere: (meter: Meter, units: number) => void;
}
