import type { Meter } from '../meters.ts';

/** One meter as clients see it; `remaining` is null where nobody knows. */
export interface MeterState {
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** A unit set aside before its request is sent. Whatever the answer says is booked to the same month. */
export interface Reservation {
  /** Books what the request really cost: 0 gives the unit back. */
  settle(units: number): void;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  noteExhausted(): void;
  /** What the upstream says is left: the truth about it. */
  noteRemaining(remaining: number): void;
}

/**
 * Units spent per meter and calendar month, kept on disk (spec section 8). The wall clock names the
 * month; how long a meter stays closed is measured by the monotonic one.
 *
 * A unit counts as spent from the moment it is reserved and is given back only when its request ends
 * without a paid answer (a time-out counts as none), so a crash in between can never hide a unit.
 */
export interface Ledger {
  /** Undefined where the allowance is used up: nothing may be sent then. */
  reserve(meter: Meter): Reservation | undefined;
  /** How many requests could be paid for right now; Infinity where nobody knows. */
  left(meter: Meter): number;
  /** Whether one could be. */
  isOpen(meter: Meter): boolean;
  states(): Record<Meter, MeterState>;
  close(): void;
}
