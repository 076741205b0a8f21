import type { Maybe } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { isTimeout } from './errors.ts';
import { createPeerSpeeds, type LineSpeeds, median } from './line-notes.ts';
import { type Arrival, speedOf } from './line-speed.ts';

/**
 * How fast the line to one group is, learned from the answers that arrived over it. An answer costs the same
 * whatever its size, so requests ask for more than is wanted, but that must not keep clients waiting. This
 * file decides how large an answer may grow.
 */

/** The line from the point of view of one dataset's requests. */
export interface Line {
  /**
   * Maximum size of an answer, if one of `bytes` would do; never less than `bytes`. Infinity: there is no
   * limit.
   */
  maxBytes(bytes: number): number;
  /** Maximum size of an answer that should arrive well before the timeout. */
  bytesInTime(): number;
  /** If this process knows nothing of the line yet, resolves once the speeds of other processes have been read. */
  ready(): Maybe<void>;
  /** Average size of a record; undefined before the first. */
  bytesPerRecord(): number | undefined;
}

/** The line to one group, which learns from every request. */
interface LearningLine {
  of(dataset: string): Line;
  /** Notes how a request ended. `end`: its whole body, or an error; `arrival`: how the body arrived, if it did. */
  noteEnd(dataset: string, end: unknown, arrival?: Arrival): void;
  /** Notes how many records an answer held, and its size. */
  noteRecords(dataset: string, records: number, bytes: number): void;
}

export interface LineOptions {
  /** Presumed speed of the line before anything is known of it. */
  bytesPerSecond: number;
  timeoutMs: number;
  monotonic: Clock;
}

/**
 * How much longer an enlarged answer may take than a plain one, in ms: `fixed` and a `share` of the time of the plain
 * one, or `min` if that is more.
 */
const EXTRA_MS = { min: 20, fixed: 12, share: 0.4 };
/** Longest time that an enlarged answer may take, as a share of the timeout: lines are not steady. */
const MAX_SHARE_OF_TIMEOUT = 0.5;
/** How many times slower than presumed a line may turn out to be. */
const MAX_TIMES_SLOWER = 40;
/** Smaller answers arrive in one piece and say nothing about the speed. */
const MIN_MEASURED_BYTES = 4096;
const MAX_REMEMBERED = 5;
/** After every such time (ms) without a new measurement, a slow line is presumed to be twice as fast. */
const SPEED_DOUBLES_MS = 60_000;
/** The weight of older answers shrinks by this factor with each new one. */
const DECAY = 0.8;

/** What is known of the answers of one dataset. */
interface Known {
  /** Of the last answers, the latest at the end. */
  firstByteMs: readonly number[];
  records: number;
  bytes: number;
  /** Whether the last answer timed out, perhaps because it was too large. */
  hasTimedOut: boolean;
}

const NOTHING: Known = { firstByteMs: [], records: 0, bytes: 0, hasTimedOut: false };

/** `speeds`: undefined if no other process uses the line. */
export function createLine(options: LineOptions, speeds?: LineSpeeds): LearningLine {
  const { timeoutMs, monotonic } = options;
  const others = speeds && createPeerSpeeds(speeds, monotonic);
  const presumed = options.bytesPerSecond / 1000;
  const known = new Map<string, Known>();
  /** Of the last answers that were large enough to measure the speed. */
  let arrivals: readonly Arrival[] = [];
  let measuredAt = 0;
  let roundTripMs = Infinity;
  /** Number of measurements. At MAX_REMEMBERED, to which a timeout sets it, the line counts as well known. */
  let measurements = 0;

  const knownOf = (dataset: string): Known => known.get(dataset) ?? NOTHING;

  const waitMs = (dataset: string): number => median(knownOf(dataset).firstByteMs);

  function learn(dataset: string, more: Partial<Known>): void {
    known.set(dataset, { ...knownOf(dataset), ...more });
  }

  function noteSpeed(all: readonly Arrival[]): void {
    arrivals = all.slice(-MAX_REMEMBERED);
    measuredAt = monotonic();
    others?.publish(speedOf(arrivals, { presumed, roundTripMs }));
  }

  function noteArrival(dataset: string, arrival: Arrival): void {
    const firstByteMs = [...knownOf(dataset).firstByteMs, arrival.firstByteMs];
    learn(dataset, { firstByteMs: firstByteMs.slice(-MAX_REMEMBERED), hasTimedOut: false });
    roundTripMs = Math.min(roundTripMs, arrival.firstByteMs);
    if (arrival.bytes < MIN_MEASURED_BYTES) return;
    measurements += 1;
    noteSpeed([...arrivals, arrival]);
  }

  function noteTimeout(dataset: string, arrival: Arrival | undefined): void {
    learn(dataset, { hasTimedOut: true });
    // A timeout may have cost a unit and brings nothing: it outweighs all earlier measurements.
    measurements = MAX_REMEMBERED;
    if (arrival && arrival.bodyMs > 0) noteSpeed([arrival]);
  }

  /**
   * The speed that others report, until this process has measured enough: just after its start it is slow itself, and
   * so measures too low a speed.
   */
  function speedOfOthers(): number | undefined {
    if (!others || measurements >= MAX_REMEMBERED) return undefined;
    void others.ask();
    return others.speed();
  }

  /** The speed in bytes per millisecond: a cautious value from what is known, and a hopeful one. */
  function speed(): { cautious: number; hopeful: number } {
    const reported = speedOfOthers();
    if (arrivals.length === 0)
      return { cautious: reported ?? presumed / MAX_TIMES_SLOWER, hopeful: reported ?? presumed };
    const measured = Math.max(speedOf(arrivals, { presumed, roundTripMs }), reported ?? 0);
    const faster = measured * 2 ** ((monotonic() - measuredAt) / SPEED_DOUBLES_MS);
    return { cautious: measured, hopeful: Math.max(measured, Math.min(faster, presumed)) };
  }

  /** Maximum size of an answer that should arrive well before the timeout over a line of that speed. */
  function bytesInTime(dataset: string, perMs: number): number {
    const ms = timeoutMs * MAX_SHARE_OF_TIMEOUT - waitMs(dataset);
    return ms > 0 ? ms * perMs : 0;
  }

  function maxBytes(dataset: string, bytes: number): number {
    if (knownOf(dataset).hasTimedOut) return bytes;
    const { cautious, hopeful } = speed();
    const neededMs = waitMs(dataset) + bytes / hopeful;
    const extraMs = Math.max(EXTRA_MS.min, EXTRA_MS.fixed + neededMs * EXTRA_MS.share);
    const max = bytes + extraMs * hopeful;
    // An answer that is large anyway must not fail for data that nobody wanted, should the line be slower than hoped.
    return Math.max(bytes, Math.min(max, bytesInTime(dataset, cautious)));
  }

  return {
    of: (dataset) => ({
      maxBytes: (bytes) => maxBytes(dataset, bytes),
      ready: () => (measurements === 0 ? others?.ask() : undefined),
      bytesInTime: () => bytesInTime(dataset, speed().hopeful),
      bytesPerRecord() {
        const { records, bytes } = knownOf(dataset);
        return records > 0 ? bytes / records : undefined;
      },
    }),
    noteEnd(dataset, end, arrival) {
      if (isTimeout(end)) noteTimeout(dataset, arrival);
      else if (typeof end === 'string' && arrival) noteArrival(dataset, arrival);
    },
    noteRecords(dataset, records, bytes) {
      // An answer without records says nothing about their size.
      if (records === 0) return;
      const before = knownOf(dataset);
      learn(dataset, {
        records: before.records * DECAY + records,
        bytes: before.bytes * DECAY + bytes,
      });
    },
  };
}
