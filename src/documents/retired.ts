import type { Clock } from '../time.ts';
import { type Index, indexOperations } from './by-id.ts';
import type { KeptOperation } from './kept-list.ts';
import type { ListedOperation } from './manifest.ts';

export type Retired = ReturnType<typeof createRetired>;

/** Operations that were listed until recently, and how often ids have come to stand for something else since the start. */
export function createRetired(now: Clock, retireMs: number) {
  const retiring = new Map<string, { operation: ListedOperation; until: number }>();
  let earliest = Infinity;
  let version = 0;

  function drop(): void {
    if (now() < earliest) return;
    earliest = Infinity;
    version += 1;
    for (const [key, { until }] of retiring)
      if (until <= now()) retiring.delete(key);
      else earliest = Math.min(earliest, until);
  }

  /** What is in `before` and not in `after` is served for so long yet, or longer if it was to be before. */
  function retire(before: Index, after: Index, leftMs = retireMs): void {
    const until = now() + Math.min(leftMs, retireMs);
    for (const [key, operation] of before) {
      if (after.has(key)) continue;
      const known = retiring.get(key);
      const isSame = known?.operation.body === operation.body;
      if (!isSame) version += 1;
      retiring.set(key, { operation, until: isSame ? Math.max(known.until, until) : until });
    }
    earliest = Math.min(earliest, until);
  }

  return {
    /** Another list is served from now on. */
    replace(before: Index, after: Index): void {
      version += 1;
      for (const key of after.keys()) retiring.delete(key);
      retire(before, after);
    },
    /** What other processes list, or have listed, as they have written it down. */
    takeOver(kept: readonly KeptOperation[], listed: Index): void {
      for (const [leftMs = retireMs, operations] of Map.groupBy(kept, (one) => one.leftMs))
        if (leftMs > 0) retire(indexOperations(operations).index, listed, leftMs);
    },
    get(key: string): ListedOperation | undefined {
      drop();
      return retiring.get(key)?.operation;
    },
    all(): KeptOperation[] {
      drop();
      // Each is here under several keys.
      const untils = new Map([...retiring.values()].map((one) => [one.operation, one.until]));
      const at = now();
      return [...untils].map(([operation, until]) => ({ ...operation, leftMs: until - at }));
    },
    version(): number {
      drop();
      return version;
    },
  };
}
