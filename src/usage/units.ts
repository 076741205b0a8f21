import type { Maybe } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import type { Allowance } from '../spending/allowance.ts';
import type { AccountId, ReadSpent, UnitStore } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import type { Refused } from './takers.ts';

/** One meter as clients see it; `remaining` is null where nobody knows. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** A part of a meter that a client may spend, in a day or a month of the upstream's time zone. */
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

/** A limit of ours that the month's units have reached; `resetsAt` in milliseconds since 1970. */
export interface UsedUp {
  readonly limit: number;
  /** Units of it of which nobody knows whether they were charged. */
  readonly uncertain: number;
  readonly resetsAt: number;
}

/** Who pays. */
export interface Payer {
  readonly name: string;
  readonly budgets: readonly Budget[];
}

/** What units are reserved for: they are counted there. */
export interface Spending {
  /** Undefined: nobody has a name. */
  payer?: Payer | undefined;
  /** The operation's name. */
  operation: string;
  dataset: string;
}

/** How a request ended for which units were set aside. */
interface RequestCost {
  /** What it really cost: what was set aside beyond that is given back. Undefined: nobody knows, all of it until a stated balance shows otherwise. */
  units: number | undefined;
  /** What the upstream says is left: the truth about it. */
  remaining?: number | undefined;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  exhausted?: boolean;
}

/** Units set aside before their request is sent. Whatever the answer says is booked to the same month. */
export interface Reservation {
  /** How many: what the request is expected to cost. */
  readonly units: number;
  /** To be called once. Returns the units that it counts as: fewer than stated where the balance has fallen by fewer. */
  end(cost: RequestCost): number;
  /**
   * The request was sent and no status came in time: nobody knows whether it was charged. Returns the
   * units that it counts as, all that were set aside or none, until a stated balance shows otherwise.
   */
  endUnanswered(): number;
}

/**
 * Units spent per meter and calendar month, counted where all processes count them (spec section 8). The
 * wall clock names the month; how long a meter stays closed is measured by the monotonic one.
 *
 * Nobody knows what a request costs before its answer says so: what others about the same dataset have cost
 * lately is set aside. Units count as spent from the moment they are reserved, and are given back only when their
 * request has ended and has cost less, so a crash in between can never hide one. Nothing here throws: while the
 * store cannot be used, meters with a limit reserve nothing but what was granted in advance, and all
 * else is counted in memory and stored later.
 */
export interface Ledger {
  /**
   * Refused where nothing may be sent: the allowance or a budget of who pays is used up; or there is a
   * limit, the store cannot be used, and what is spent might pass the limit.
   */
  reserve(meter: Meter, spending: Spending): Maybe<Reservation | Refused>;
  /** How many units could be spent right now; Infinity where nobody knows. */
  left(meter: Meter, payer?: Payer): number;
  /** Our own limit of this month, where it leaves less than so many units. */
  usedUp(meter: Meter, units: number): UsedUp | undefined;
  /** What a request is expected to cost; undefined where no answer has told it lately. */
  cost(meter: Meter, dataset: string): number | undefined;
  /**
   * Whether the limit, and the budgets of who pays, leave so many units. A balance does not count here: where it is
   * too small the upstream says so, for nothing.
   */
  allows(meter: Meter, units: number, payer?: Payer): boolean;
  /** What the governor of the meter has to make last. */
  allowance(meter: Meter): Allowance;
  /** The same object as before while nothing has changed. `at`: now, by the monotonic clock, where that is known. */
  states(at?: number): Record<Meter, MeterState>;
  /** The budget of a meter that leaves too little for a request of that cost, or is nearest to it. */
  exceeded(payer: Payer, meter: Meter, cost: number): BudgetState | undefined;
  /**
   * What a client may spend, and has spent; the same object as before while nothing has changed. `states`: what was
   * read just now, so that it need not be looked up again.
   */
  budgets(payer: Payer, states?: Record<Meter, MeterState>): readonly BudgetState[];
  /** Who has spent what: see UnitStore. */
  spent: ReadSpent;
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
  /** Called in the end where the store could not be told of so many units: nobody may ever count them. */
  onUntold?: (account: AccountId, units: number) => void;
}
