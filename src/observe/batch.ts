import type { ObserveOperation, OperationEnd, OperationObserver } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';

/** Notifies observers of repeats (a kept answer is sent again) in batches, since most operations are repeats. */

/** When an operation began and ended, as `OperationEnd` has it. */
type Times = Pick<OperationEnd, 'startedAt' | 'endedAt' | 'at'>;

/** Called each time that a certain kept answer was sent to a certain client. `times` is overwritten afterwards. */
export type ObserveRepeated = (times: Readonly<Times>) => void;

/** An observer that is notified of repeats in batches; not at all if it has no `repeats`. */
export interface RepeatsObserver {
  ended: ObserveOperation;
  repeats?(first: OperationEnd): ObserveRepeated;
  /** Whether it must be notified of each repeat at once. */
  isAtOnce?: boolean;
}

/**
 * Operations that observers are yet to be notified of. For many at once, an observer finds its code and data in the
 * processor's caches: that is several times as fast as notifying it between two answers.
 */
export interface Batch {
  /** Adds an operation that has ended now. */
  add(observers: readonly ObserveRepeated[], startedAt: number): void;
  /** Notifies observers of all operations in the batch. */
  notify(): void;
  close(): void;
}

const BATCH_SIZE = 256;
const NOTIFY_EVERY_MS = 50;

const open = new Set<Batch>();
/** Runs before the log's own listeners, so that the lines it causes are still written. */
function notifyAll(): void {
  for (const batch of open) batch.notify();
}
// A process that ends by itself accepts no more lines at `exit`, once the waiting ones have been written.
process.prependListener('beforeExit', notifyAll);
process.prependListener('exit', notifyAll);

/** `now`: the wall clock. */
export function createBatch(now: Clock): Batch {
  const observersOf = Array.from({ length: BATCH_SIZE }, (): readonly ObserveRepeated[] => []);
  // Typed arrays: an operation takes a tenth of the memory that objects would.
  const starts = new Float64Array(BATCH_SIZE);
  const ends = new Float64Array(BATCH_SIZE);
  const instants = new Float64Array(BATCH_SIZE);
  const times: Times = { startedAt: NaN, endedAt: NaN, at: NaN };
  let count = 0;

  function notify(): void {
    const until = count;
    count = 0;
    for (let i = 0; i < until; i += 1) {
      times.startedAt = starts[i]!;
      times.endedAt = ends[i]!;
      times.at = instants[i]!;
      for (const observe of observersOf[i]!) observe(times);
    }
  }

  const timer = setInterval(notify, NOTIFY_EVERY_MS).unref();
  const batch: Batch = {
    add(observers, startedAt) {
      observersOf[count] = observers;
      starts[count] = startedAt;
      ends[count] = performance.now();
      instants[count] = now();
      count += 1;
      if (count === BATCH_SIZE) notify();
    },
    notify,
    close() {
      clearInterval(timer);
      open.delete(batch);
      notify();
    },
  };
  open.add(batch);
  return batch;
}

/** Combines several observers into one. */
export function inBatches(
  observers: readonly (RepeatsObserver | undefined)[],
  batch: Batch,
): OperationObserver {
  const present = observers.filter((one) => one !== undefined);
  const isAtOnce = present.some((one) => one.isAtOnce);
  return {
    ended(end) {
      // Observers are notified of operations in the order in which these ended.
      batch.notify();
      for (const { ended } of present) ended(end);
    },
    repeats(first) {
      const repeatObservers = present.flatMap((one) => one.repeats?.(first) ?? []);
      if (repeatObservers.length === 0) return () => undefined;
      return (startedAt) => {
        batch.add(repeatObservers, startedAt);
        if (isAtOnce) batch.notify();
      };
    },
  };
}
