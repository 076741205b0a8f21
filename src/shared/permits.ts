/**
 * The pace that all replicas keep together: in any second, no more permits are given than the limit. Nothing here
 * throws or waits for long.
 */
export interface Permits {
  /**
   * Returns as many permits as there are now, `wanted` at most; if there are too few, this replica gets its turn among
   * those that wait. Undefined if the store is away and no limit is known.
   */
  take(wanted: number): Promise<Granted | undefined>;
  /** Gives up this replica's turn: nobody waits here any more. */
  leave(): void;
  /** Gives back a permit with which nothing was sent. */
  giveBack(permit: Permit): void;
  /** Notes that the request of `permit` goes out now: when others may be sent depends on it. */
  noteSent(permit: Permit): void;
  /** Notes that the request of `permit` was answered: by now the upstream has counted it. */
  noteAnswered(permit: Permit): void;
  /** Notes that the request of `permit` was refused: nobody sends anything for `waitMs`, and the limit is learned. */
  noteRefused(permit: Permit, waitMs: number): void;
  /** Whether `permit` has expired: the other replicas would learn too late that its request is sent only now. */
  isLate(permit: Permit): boolean;
  /** Permits per second, as far as known; Infinity if no limit is known. */
  limit(): number;
  /** Calls `listener` when there may be permits earlier than announced. */
  onRoom(listener: () => void): void;
  close(): void;
}

/** The permission to send one request. */
export interface Permit {
  /** When it was given, in milliseconds by the clock of its giver. */
  readonly at: number;
  /** How many permits were given in the second before. */
  readonly earlier: number;
  /** If all replicas share the pace: identifies the permit. */
  readonly id?: string;
  /** Whether it was given at once, maybe with others; permits for replicas that wait are spaced evenly. */
  readonly isAtOnce?: boolean;
}

export interface Granted {
  permits: readonly Permit[];
  /** If there were too few: when to ask again, in monotonic milliseconds. */
  nextAt: number;
}

/**
 * The period in which permits are counted: a second, plus a margin because requests take different times to arrive,
 * those of several machines more so than those of one. More than nine tenths of the limit remain usable.
 */
export const SHARED_WINDOW_MS = 1075;

/** How long a learned limit must go unrefused before it is raised; a refused raise doubles that, up to the maximum. */
export const RAISE_AFTER_MS = 2000;
export const MAX_RAISE_AFTER_MS = 60_000;
