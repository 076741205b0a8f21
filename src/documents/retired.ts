import type { Clock } from '../time.ts';
import { type Index, indexOperations } from './by-id.ts';
import type { KeptOperation } from './kept-list.ts';
import type { ListedOperation } from './manifest.ts';

/** Operations that were listed until recently, with a version that grows whenever ids come to stand for other texts. */
export function createRetired(monotonic: Clock, retireMs: number) {
  const retiring = new Map<string, { operation: ListedOperation; until: number }>();
  let earliest = Infinity;
  let version = 0;

  function dropExpired(): void {
    if (monotonic() < earliest) return;
    earliest = Infinity;
    version += 1;
    for (const [key, { until }] of retiring)
      if (until <= monotonic()) retiring.delete(key);
      else earliest = Math.min(earliest, until);
  }

  /** Keeps serving an operation for `leftMs`, or longer if it was to be served longer already. */
  function retire(key: string, operation: ListedOperation, leftMs: number): void {
    const known = retiring.get(key);
    const isSame = known?.operation.body === operation.body;
    if (!isSame) version += 1;
    const until = Math.max(monotonic() + Math.min(leftMs, retireMs), isSame ? known.until : 0);
    // Deleted first, so that the latest is also the last in order.
    retiring.delete(key);
    retiring.set(key, { operation, until });
    earliest = Math.min(earliest, until);
  }

  return {
    /** Retires operations that the new list lacks, and forgets retired ones whose keys it has. */
    replace(before: Index, after: Index): void {
      version += 1;
      for (const key of after.keys()) retiring.delete(key);
      for (const [key, operation] of before) if (!after.has(key)) retire(key, operation, retireMs);
    },
    /** Takes over what other processes list, or have listed, as stored: an id stands for what it last stood for. */
    takeOver(kept: readonly KeptOperation[], listed: Index): void {
      const last = new Map<string, [operation: ListedOperation, leftMs: number]>();
      for (const [leftMs = retireMs, operations] of Map.groupBy(kept, (one) => one.leftMs))
        for (const [key, operation] of indexOperations(operations).index) {
          last.delete(key);
          last.set(key, [operation, leftMs]);
        }
      for (const [key, [operation, leftMs]] of last)
        if (!listed.has(key) && leftMs > 0) retire(key, operation, leftMs);
    },
    get(key: string): ListedOperation | undefined {
      dropExpired();
      return retiring.get(key)?.operation;
    },
    all(): KeptOperation[] {
      dropExpired();
      // Each operation is there under several keys.
      const expiries = new Map([...retiring.values()].map((one) => [one.operation, one.until]));
      const at = monotonic();
      return [...expiries].map(([operation, until]) => ({ ...operation, leftMs: until - at }));
    },
    version(): number {
      dropExpired();
      return version;
    },
  };
}

export type Retired = ReturnType<typeof createRetired>;
