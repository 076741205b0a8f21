/**
 * The pace of requests that all replicas keep together: in the second before any permit there were never
 * more than the limit. Nothing here throws or waits for long.
 */
export interface Permits {
  /**
   * As many permits as there are now, `wanted` at most; where there are too few, this replica gets its
   * turn among those that wait. Undefined where the store is away and no limit is known.
   */
  take(wanted: number): Promise<Granted | undefined>;
  /** Nobody waits here any more. */
  leave(): void;
  /** Nothing was sent with `permit`. */
  giveBack(permit: Permit): void;
  /** The request of `permit` goes out now: who is allowed to be the next depends on it. */
  noteSent(permit: Permit): void;
  /** The request of `permit` has an answer: by now the upstream has counted it. */
  noteAnswered(permit: Permit): void;
  /** The request of `permit` was refused: nobody sends anything for `waitMs`, and the limit is learnt. */
  noteRefused(permit: Permit, waitMs: number): void;
  /** Whether it is too late to send with `permit`: it would not be known in time that it is sent now. */
  isLate(permit: Permit): boolean;
  /** Permits a second, as far as is known; Infinity: no limit is. */
  limit(): number;
  /** Calls `listener` when there may be permits earlier than was said. */
  onRoom(listener: () => void): void;
  close(): void;
}

/** The permission to send one request. */
export interface Permit {
  /** Milliseconds, by the clock of whoever gave it. */
  readonly at: number;
  /** How many permits were given in the second before. */
  readonly earlier: number;
  /** Where all replicas share the pace: what the permit is known by. */
  readonly id?: string;
  /** It was given at once, maybe with others; later ones are given evenly. */
  readonly isAtOnce?: boolean;
}

export interface Granted {
  permits: readonly Permit[];
  /** Where there were too few: when to ask again, in monotonic milliseconds. */
  nextAt: number;
}

/**
 * A second, and a little for requests that travel at different speeds: those of several machines differ
 * more than those of one. Even so there are more than nine tenths of the limit.
 */
export const SHARED_WINDOW_MS = 1075;

/** A learnt limit that was not refused for so long is raised; one that is refused again waits twice as long, up to this. */
export const RAISE_AFTER_MS = 2000;
export const MAX_RAISE_AFTER_MS = 60_000;
