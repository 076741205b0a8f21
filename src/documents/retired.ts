import type { Clock } from '../time.ts';
import { type Index, indexOperations } from './by-id.ts';
import type { KeptOperation } from './kept-list.ts';
import type { ListedOperation } from './manifest.ts';

export type Retired = ReturnType<typeof createRetired>;

/** Operations that were listed until recently, and how often the list has changed since the start. */
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

  function replace(before: Index, after: Index, leftMs = retireMs): void {
    for (const key of after.keys()) retiring.delete(key);
    const until = now() + Math.min(leftMs, retireMs);
    for (const [key, operation] of before)
      if (!after.has(key)) retiring.set(key, { operation, until });
    earliest = Math.min(earliest, until);
    version += 1;
  }

  return {
    /** What is listed before and not after is served for a while yet. */
    replace,
    /** The same for what another process has served, as it has written it down. */
    takeOver(kept: readonly KeptOperation[], after: Index): void {
      for (const [leftMs, operations] of Map.groupBy(kept, (one) => one.leftMs))
        replace(indexOperations(operations).index, after, leftMs);
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
