import type { Clock } from '../time.ts';

/**
 * How long a request for names may be, in number of names and in bytes. Both are learned from refusals, since the spec
 * states neither how many names a request may have nor how long a URL may be.
 */

/** The length of a request. */
export interface Length {
  names: number;
  /** Size of its path and query, in bytes. */
  bytes: number;
}

/** The longest request that may be sent, as far as is known. */
interface Limits extends Length {
  /** Maximum number of names in a request with extras, names that nobody waits for. */
  withExtras: number;
}

interface NameLimits {
  now(): Limits;
  /** Whether a refused request may have been too long; if not, the refusal is about a name. */
  mayBeTooLong(refused: Length): boolean;
  /**
   * Notes that a request was refused for its length alone, so that all are shorter from now on; returns false if that
   * cannot help.
   */
  noteTooLong(refused: Length): boolean;
  /** Notes that a request was answered: none that is as short is refused for its length. */
  noteAnswered(length: Length): void;
  /**
   * Learns from a refused request that may have been too long: those sent instead of it were answered. `hadExtras`:
   * whether it had names that nobody waited for, which those sent instead have not.
   */
  learn(refused: Length, instead: readonly Length[], hadExtras: boolean): void;
}

/**
 * Length below which requests are never made shorter: each is paid for, and an upstream that refuses such short ones
 * refuses all, or one of the names.
 */
const SAFE: Length = { names: 10, bytes: 1024 };
/** The usual limits of an upstream that limits the names in a request; the spec names no limit. */
const USUAL_LIMITS = [250, 100, 50, 30, 20, 10];

/** How many of so many refused names to ask for at once. */
export const usualCountBelow = (names: number): number =>
  USUAL_LIMITS.find((limit) => limit < names) ?? Math.ceil(names / 2);

/**
 * Share of its length that remains of a request that is certain to be too long. A refusal is free, and each request is
 * paid for: a limit is approached in small steps, but few, since an operation may send only so many requests.
 */
const STEP = 2 / 3;
/**
 * How long a learned limit is remembered, in milliseconds: a refusal costs nothing, and it may have been about a name.
 * So is the length of the longest request that was answered, since the upstream may lower its limits.
 */
const LEARNED_FOR_MS = 3_600_000;

const highest = (a: Length, b: Length): Length => ({
  names: Math.max(a.names, b.names),
  bytes: Math.max(a.bytes, b.bytes),
});

export function createNameLimits(monotonic: Clock, max: Length): NameLimits {
  const unlimited: Limits = { ...max, withExtras: max.names };
  let learned = { ...unlimited, until: -Infinity };
  let longest = { ...SAFE, until: -Infinity };
  const now = (): Limits => (monotonic() < learned.until ? learned : unlimited);
  const answered = (): Length => (monotonic() < longest.until ? longest : SAFE);

  /** Lowers limits; none is ever raised while it is remembered. */
  function lower(lowered: Partial<Limits>): void {
    const [before, after] = [now(), { ...unlimited, ...lowered }];
    learned = {
      names: Math.min(before.names, after.names),
      bytes: Math.min(before.bytes, after.bytes),
      withExtras: Math.min(before.withExtras, after.withExtras),
      until: monotonic() + LEARNED_FOR_MS,
    };
  }

  return {
    now,
    mayBeTooLong: ({ names, bytes }) =>
      names > 1 && (names > answered().names || bytes > answered().bytes),
    noteTooLong({ names, bytes }) {
      if (names === 1 || bytes <= SAFE.bytes) return false;
      lower({ bytes: Math.max(SAFE.bytes, Math.floor(bytes * STEP)) });
      return true;
    },
    noteAnswered(length) {
      if (length.names < answered().names) return;
      longest = { ...highest(length, answered()), until: monotonic() + LEARNED_FOR_MS };
    },
    learn({ names, bytes }, instead, hadExtras) {
      const half = Math.max(SAFE.bytes, Math.floor(bytes / 2));
      if (bytes > half) lower({ bytes: Math.max(half, ...instead.map((length) => length.bytes)) });
      const known = [answered(), ...instead].reduce(highest);
      if (names <= known.names) return;
      // The refusal may have been about a name that nobody waited for: requests without such names stay as long.
      if (hadExtras) lower({ withExtras: Math.max(SAFE.names, Math.ceil(names / 2)) });
      else lower({ names: known.names });
    },
  };
}
