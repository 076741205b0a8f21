import type { Meter } from '../meters.ts';
import type { Clock } from '../time.ts';

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
  /**
   * The request was sent and no status came in time: nobody knows whether it was charged. Returns the
   * units that it counts as, 1 or 0, until a stated balance shows otherwise.
   */
  settleTimeout(): number;
  /** The upstream refused for lack of units: nothing is sent for a minute, or until a new month. */
  noteExhausted(): void;
  /** What the upstream says is left: the truth about it. Call it after `settle`. */
  noteRemaining(remaining: number): void;
}

/**
 * Units spent per meter and calendar month, kept on disk (spec section 8). The wall clock names the
 * month; how long a meter stays closed is measured by the monotonic one.
 *
 * A unit counts as spent from the moment it is reserved and is given back only when its request ends
 * without a paid answer, so a crash in between can never hide a unit. Nothing here throws: while the
 * file cannot be used, meters with a limit reserve nothing, and all else is counted in memory and
 * written later.
 */
export interface Ledger {
  /** Undefined where nothing may be sent: the allowance is used up, or `isCertain` is false. */
  reserve(meter: Meter): Reservation | undefined;
  /** False while a limit is set and the file cannot be used: what is spent might pass the limit. */
  isCertain(meter: Meter): boolean;
  /** Resolves once a short trouble with the file is over, or is known to be a longer one. */
  ready(): Promise<void>;
  /** How many requests could be paid for right now; Infinity where nobody knows. */
  left(meter: Meter): number;
  /** Whether one could be. */
  isOpen(meter: Meter): boolean;
  /** The same object as before while nothing has changed. */
  states(): Record<Meter, MeterState>;
  close(): void;
}

export interface LedgerOptions {
  /** The folder of the ledger's file; undefined keeps it in memory. */
  dataDir: string | undefined;
  limits: Record<Meter, number | undefined>;
  /** Whether a request that timed out counts as charged; undefined: where its meter has a limit. */
  timeoutsCount?: boolean | undefined;
  timezone: string;
  now: Clock;
  monotonic: Clock;
  /** Called once, when the upstream's balance shows that somebody else spends from it. */
  onSpentElsewhere: (meter: Meter, units: number) => void;
  /** Called once when the file cannot be used for longer than a moment, with the reason. */
  onFileTrouble: (reason: string) => void;
  /** Called when all that was counted meanwhile has been written. */
  onFileRecovered: () => void;
}
