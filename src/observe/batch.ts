import type { ObserveOperation, OperationEnd, OperationObserver } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';

/** Observers are told of repeats (a kept answer is sent once more) in batches, since most operations are repeats. */

/** When an operation began and ended, as `OperationEnd` has it. */
type Times = Pick<OperationEnd, 'startedAt' | 'endedAt' | 'at'>;

/** Called for each time that a certain kept answer was sent to a certain client. `times` is overwritten afterwards. */
export type ObserveRepeated = (times: Readonly<Times>) => void;

/** An observer that is told of repeats in batches; without `repeats` it is not told of them at all. */
export interface RepeatsObserver {
  ended: ObserveOperation;
  repeats?(first: OperationEnd): ObserveRepeated;
  /** Whether it must be told of each repeat at once. */
  isAtOnce?: boolean;
}

/**
 * What an observer needs, code as well as data, is in the processor's caches when it is told of many at once: that
 * is several times as fast as to tell it between two answers.
 */
export interface Batch {
  /** An operation is over now. */
  add(observers: readonly ObserveRepeated[], startedAt: number): void;
  /** Tells of all that wait. */
  tell(): void;
  close(): void;
}

const SIZE = 256;
const TELL_MS = 50;

const open = new Set<Batch>();
/** Before the log's own listeners: what is told now is still written. */
function tellAll(): void {
  for (const batch of open) batch.tell();
}
// A process that ends by itself takes no lines any more once what waited has been written.
process.prependListener('beforeExit', tellAll);
process.prependListener('exit', tellAll);

/** `now`: the wall clock. */
export function createBatch(now: Clock): Batch {
  const told = Array.from({ length: SIZE }, (): readonly ObserveRepeated[] => []);
  // Typed arrays: what is written for an operation takes a tenth of the memory that objects would.
  const starts = new Float64Array(SIZE);
  const ends = new Float64Array(SIZE);
  const instants = new Float64Array(SIZE);
  const times: Times = { startedAt: NaN, endedAt: NaN, at: NaN };
  let count = 0;

  function tell(): void {
    const until = count;
    count = 0;
    for (let i = 0; i < until; i += 1) {
      times.startedAt = starts[i]!;
      times.endedAt = ends[i]!;
      times.at = instants[i]!;
      for (const observe of told[i]!) observe(times);
    }
  }

  const timer = setInterval(tell, TELL_MS).unref();
  const batch: Batch = {
    add(observers, startedAt) {
      told[count] = observers;
      starts[count] = startedAt;
      ends[count] = performance.now();
      instants[count] = now();
      count += 1;
      if (count === SIZE) tell();
    },
    tell,
    close() {
      clearInterval(timer);
      open.delete(batch);
      tell();
    },
  };
  open.add(batch);
  return batch;
}

/** Several observers as one. */
export function inBatches(
  observers: readonly (RepeatsObserver | undefined)[],
  batch: Batch,
): OperationObserver {
  const present = observers.filter((one) => one !== undefined);
  const isAtOnce = present.some((one) => one.isAtOnce);
  return {
    ended(end) {
      // In the order in which they ended.
      batch.tell();
      for (const { ended } of present) ended(end);
    },
    repeats(first) {
      const told = present.flatMap((one) => one.repeats?.(first) ?? []);
      if (told.length === 0) return () => undefined;
      return (startedAt) => {
        batch.add(told, startedAt);
        if (isAtOnce) batch.tell();
      };
    },
  };
}
