import type { Maybe } from '../maybe.ts';
import type { Clock } from '../time.ts';
import { isTimeout } from './errors.ts';
import { createOthers, type LineSpeeds, median } from './line-notes.ts';

/**
 * How fast the line to one group is, learnt from the answers that came over it. An answer costs the same
 * whatever its size, so requests ask for more than was wanted; who waits for the answer must not pay
 * for that with time. This file says how large an answer may grow.
 */

/** How the body of an answer arrived, as far as it did. */
export interface Arrival {
  bytes: number;
  /** From sending the request to the status, in milliseconds. */
  firstByteMs: number;
  /** From the status to the last byte. */
  bodyMs: number;
}

/** The line as the requests of one dataset see it. */
export interface Line {
  /**
   * How large an answer may get where one of `bytes` would do; never less than `bytes`. Infinity: as large
   * as it likes.
   */
  mostBytes(bytes: number): number;
  /** How large an answer may be that is to come well in time. */
  bytesInTime(): number;
  /** Resolves when it is known what other processes know, if this one knows nothing. */
  ready(): Maybe<void>;
  /** The size of a record, on average; undefined before the first. */
  bytesPerRecord(): number | undefined;
}

/** The line to one group, which learns. */
interface LearningLine {
  of(dataset: string): Line;
  /** How a request ended: a body that came in full, or why it did not; `arrival`: what came of it. */
  noteEnd(dataset: string, end: unknown, arrival?: Arrival): void;
  /** What was in it. */
  noteRecords(dataset: string, records: number, bytes: number): void;
}

export interface LineOptions {
  /** What the line is taken for before anything is known of it. */
  bytesPerSecond: number;
  timeoutMs: number;
  monotonic: Clock;
}

/** Nobody notices so much more; else an answer may take less than half again what the narrow one would. */
const MORE_MS = 20;
const MORE_SHARE = 0.4;
/** The longest that a grown answer may take, as a share of the time-out: lines are not steady. */
const SHARE_OF_TIMEOUT = 0.5;
/** A line may turn out to be so many times slower than it is presumed to be. */
const PERHAPS_SLOWER = 40;
/** Smaller answers come in one piece: they tell nothing of the speed. */
const TELLING_BYTES = 4096;
const REMEMBERED = 5;
/** A line that was found slow is taken for twice as fast after each such time without news of it. */
const DOUBT_MS = 60_000;
/** The weight of older answers shrinks by this factor with each new one. */
const DECAY = 0.8;
const MAX_DATASETS = 100;

/** What is known of the answers of one dataset. */
interface Known {
  /** The latest at the end. */
  firstByteMs: readonly number[];
  records: number;
  bytes: number;
  /** The last answer did not come in time, perhaps because it was too large. */
  isInDoubt: boolean;
}

const NOTHING: Known = { firstByteMs: [], records: 0, bytes: 0, isInDoubt: false };

/** `speeds`: undefined where nobody else uses the line. */
export function createLine(options: LineOptions, speeds?: LineSpeeds): LearningLine {
  const { timeoutMs, monotonic } = options;
  const others = speeds && createOthers(speeds, monotonic);
  const presumed = options.bytesPerSecond / 1000;
  const known = new Map<string, Known>();
  /** Of the last answers that were large enough. */
  let arrivals: readonly Arrival[] = [];
  let toldAt = 0;
  /** Up to REMEMBERED; from then on the line is known well. */
  let noted = 0;

  const knownOf = (dataset: string): Known => known.get(dataset) ?? NOTHING;

  const waitMs = (dataset: string): number => median(knownOf(dataset).firstByteMs);

  function learn(dataset: string, more: Partial<Known>): void {
    if (known.size < MAX_DATASETS || known.has(dataset))
      known.set(dataset, { ...knownOf(dataset), ...more });
  }

  function noteSpeed(all: readonly Arrival[]): void {
    arrivals = all.slice(-REMEMBERED);
    toldAt = monotonic();
    others?.tell(speedOf(arrivals));
  }

  function noteArrival(dataset: string, arrival: Arrival): void {
    const firstByteMs = [...knownOf(dataset).firstByteMs, arrival.firstByteMs];
    learn(dataset, { firstByteMs: firstByteMs.slice(-REMEMBERED), isInDoubt: false });
    if (arrival.bytes < TELLING_BYTES) return;
    noted += 1;
    noteSpeed([...arrivals, arrival]);
  }

  function noteTimeout(dataset: string, arrival: Arrival | undefined): void {
    learn(dataset, { isInDoubt: true });
    // It has cost a unit and brought nothing: that counts more than what came before.
    noted = REMEMBERED;
    if (arrival && arrival.bodyMs > 0) noteSpeed([arrival]);
  }

  /** What others say of it; a process that has just begun is slow itself, and takes its first answers for slow ones. */
  function heardSpeed(): number | undefined {
    if (!others || noted >= REMEMBERED) return undefined;
    void others.ask();
    return others.speed();
  }

  /** Bytes a millisecond, by what is known and by what is hoped for. */
  function speed(): { cautious: number; hopeful: number } {
    const heard = heardSpeed();
    if (arrivals.length === 0)
      return { cautious: heard ?? presumed / PERHAPS_SLOWER, hopeful: heard ?? presumed };
    const told = Math.max(speedOf(arrivals), heard ?? 0);
    const faster = told * 2 ** ((monotonic() - toldAt) / DOUBT_MS);
    return { cautious: told, hopeful: Math.max(told, Math.min(faster, presumed)) };
  }

  /** How large an answer may be that is to come well in time over a line of that speed. */
  function bytesInTime(dataset: string, perMs: number): number {
    const ms = timeoutMs * SHARE_OF_TIMEOUT - waitMs(dataset);
    return ms > 0 ? ms * perMs : 0;
  }

  function mostBytes(dataset: string, bytes: number): number {
    if (knownOf(dataset).isInDoubt) return bytes;
    const { cautious, hopeful } = speed();
    const neededMs = waitMs(dataset) + bytes / hopeful;
    const most = bytes + Math.max(MORE_MS, neededMs * MORE_SHARE) * hopeful;
    // What is large already must not fail for what nobody wanted, should the line be slower than is hoped.
    return Math.max(bytes, Math.min(most, bytesInTime(dataset, cautious)));
  }

  return {
    of: (dataset) => ({
      mostBytes: (bytes) => mostBytes(dataset, bytes),
      ready: () => (noted === 0 ? others?.ask() : undefined),
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
      const before = knownOf(dataset);
      learn(dataset, {
        records: before.records * DECAY + records,
        bytes: before.bytes * DECAY + bytes,
      });
    },
  };
}

/**
 * The speed at which half of all bytes came at least, in bytes a millisecond: one answer that was held up
 * changes little, and large answers say more than small ones.
 */
function speedOf(arrivals: readonly Arrival[]): number {
  const fastest = arrivals
    .map(({ bytes, bodyMs }) => ({ bytes, perMs: Math.max(1, bytes) / bodyMs }))
    .toSorted((a, b) => b.perMs - a.perMs);
  const half = fastest.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
  let sum = 0;
  for (const { bytes, perMs } of fastest) {
    sum += bytes;
    if (sum >= half) return perMs;
  }
  return 0;
}
