import type { Maybe } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import type { Allowance } from '../spending/allowance.ts';
import type { AccountId, ReadSpent, UnitStore } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import type { Refused } from './takers.ts';

/** What the ledger offers to the rest of the gateway. What it asks of the store is in shared/units.ts. */

/** One meter as clients see it; `remaining` is null if it is unknown. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** Units of a meter that a client may spend in a day or a month of the upstream's time zone. */
export interface Budget {
  readonly meter: Meter;
  readonly window: 'DAY' | 'MONTH';
  readonly limit: number;
}

/** A budget as its client sees it; `resetsAt` in milliseconds since 1970. */
export interface BudgetState extends Budget {
  readonly used: number;
  readonly resetsAt: number;
}

/** A configured limit that leaves less than is wanted this month; `resetsAt` in milliseconds since 1970. */
export interface UsedUp {
  readonly limit: number;
  /** Units counted against it of which nobody knows whether they were charged. */
  readonly uncertain: number;
  readonly resetsAt: number;
}

/** A client that pays. */
export interface Payer {
  readonly name: string;
  readonly budgets: readonly Budget[];
}

/** What units are reserved for, and attributed to. */
export interface Spending {
  /** Undefined if clients have no names. */
  payer?: Payer | undefined;
  /** The operation's name. */
  operation: string;
  dataset: string;
}

/** How a request ended for which units had been set aside. */
interface RequestCost {
  /**
   * What it actually cost; units set aside beyond that are given back. Undefined: nobody knows, and it counts as all of
   * them until a stated balance shows otherwise.
   */
  units: number | undefined;
  /** What is left according to the upstream, which knows best. */
  remaining?: number | undefined;
  /** Whether the upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  exhausted?: boolean;
}

/** Units set aside before their request is sent. Whatever its answer says is booked to the same month. */
export interface Reservation {
  /**
   * To be called once. Returns the units that the request counts as: fewer than stated if the balance fell by fewer.
   */
  end(cost: RequestCost): number;
  /**
   * Ends the reservation of a request that was sent and got no status in time: nobody knows whether it was charged.
   * Returns the units that it counts as until a stated balance shows otherwise: all that were set aside, or none.
   */
  endUnanswered(): number;
}

/**
 * Units spent per meter and calendar month, counted where all processes count them (spec section 8). The wall clock
 * determines the month; how long a meter stays closed is measured by the monotonic one.
 *
 * Nobody knows what a request costs before its answer says so: what recent requests for the same dataset have cost is
 * set aside. Units count as spent from the moment they are reserved, and are given back only when their request has
 * ended and has cost less, so a crash in between can never hide any. Nothing here throws: while the store cannot be
 * used, meters with a limit reserve nothing but what was granted in advance, and everything else is counted in memory
 * and stored later.
 */
export interface Ledger {
  /**
   * Reserves the expected cost of a request. Refused if nothing may be sent: the allowance or a budget of the client
   * that pays is used up; or the store cannot be used, and what is spent might exceed a limit or a budget.
   */
  reserve(meter: Meter, spending: Spending): Maybe<Reservation | Refused>;
  /** Returns how many units could be spent right now; Infinity if there is no limit, balance or budget. */
  left(meter: Meter, payer?: Payer): number;
  /** The same once a request has been charged: if the upstream had refused for lack of units, only that one could be. */
  leftOnceCharged(meter: Meter, payer?: Payer): number;
  /** Returns the configured limit if it leaves less than `units` this month. */
  usedUp(meter: Meter, units: number): UsedUp | undefined;
  /** Returns the expected cost of a request; undefined if no recent answer has told it. */
  cost(meter: Meter, dataset: string): number | undefined;
  /**
   * Whether the limit, and the budgets of the client that pays, leave so many units. A balance does not count here: if
   * it is too small, the upstream says so at no cost.
   */
  allows(meter: Meter, units: number, payer?: Payer): boolean;
  /** Returns what the governor of the meter has to make last. */
  allowance(meter: Meter): Allowance;
  /** Returns the same object as before while nothing has changed. `at`: now, by the monotonic clock, if known. */
  states(at?: number): Record<Meter, MeterState>;
  /** Returns the budget of a meter that leaves too little for a request of that cost, or is nearest to it. */
  exceeded(payer: Payer, meter: Meter, cost: number): BudgetState | undefined;
  /**
   * Returns what a client may spend, and has spent; the same object as before while nothing has changed. `states`: what
   * was read just now, so that it need not be read again.
   */
  budgets(payer: Payer, states?: Record<Meter, MeterState>): readonly BudgetState[];
  /** Who has spent what: see UnitStore. */
  spent: ReadSpent;
  close(): Promise<void>;
}

export interface LedgerOptions {
  store: UnitStore;
  limits: Record<Meter, number | undefined>;
  /** Whether a request that timed out counts as charged; undefined: if its meter has a limit. */
  timeoutsCount?: boolean | undefined;
  timezone: string;
  now: Clock;
  monotonic: Clock;
  /** Called once, when the upstream's balance shows that somebody else spends from it. */
  onSpentElsewhere: (meter: Meter, units: number) => void;
  /** Called on closing if the store could not be told of that many units: perhaps nobody ever counts them. */
  onUnstored?: (account: AccountId, units: number) => void;
}
