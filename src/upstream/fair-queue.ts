import { createBoundedMap } from '../bounded-map.ts';

/** Maximum number of clients whose last turn is remembered. */
const MAX_REMEMBERED = 1000;

/**
 * A queue that serves its clients in turn, the one that was served longest ago first. It shares by number of turns;
 * execution/fair-share.ts shares by time taken.
 */
export function createFairQueue<T extends { clients: ReadonlySet<string> }>() {
  let waiting: T[] = [];
  const servedAt = createBoundedMap<string, number>(MAX_REMEMBERED);
  let turns = 0;

  /** Lower ranks come first. An item that several clients wait for has the lowest rank among them. */
  function rank({ clients }: T): number {
    let lowest = Infinity;
    for (const client of clients) lowest = Math.min(lowest, servedAt.get(client) ?? 0);
    return lowest;
  }

  function takeNext(): T {
    let [best, lowest] = [0, Infinity];
    for (const [i, one] of waiting.entries()) {
      const own = rank(one);
      if (own < lowest) [best, lowest] = [i, own];
    }
    const [next] = waiting.splice(best, 1);
    noteServed(next!);
    return next!;
  }

  function noteServed({ clients }: T): void {
    turns += 1;
    for (const client of clients) servedAt.set(client, turns);
  }

  /** Removes and returns all items for which `isGone` is true. */
  function remove(isGone: (one: T) => boolean): T[] {
    const { gone = [], left = [] } = Object.groupBy(waiting, (one) =>
      isGone(one) ? 'gone' : 'left',
    );
    waiting = left;
    return gone;
  }

  return {
    size: () => waiting.length,
    add: (one: T) => void waiting.push(one),
    /** Removes and returns the items whose turn it is, `count` at most. */
    take(count: number): T[] {
      if (count < waiting.length) return Array.from({ length: count }, takeNext);
      for (const one of waiting) noteServed(one);
      return remove(() => true);
    },
    remove,
  };
}
