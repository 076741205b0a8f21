/** Items that wait for their turn, in one queue per party: the party that has used the least comes first. */
interface FairShare<T> {
  size(): number;
  add(party: string, one: T): void;
  /** Adds it before all others of its party. */
  addFirst(party: string, one: T): void;
  /** Removes and returns the next item; undefined if nothing waits. */
  take(): T | undefined;
  /** Books how much a party has used of what is shared, in any unit. */
  charge(party: string, amount: number): void;
}

interface Queue<T> {
  waiting: T[];
  /** How much the party has used in all; at least `floor` when it comes back after a pause. */
  used: number;
}

/** Maximum parties that are remembered although nothing of theirs waits. */
const MAX_IDLE_PARTIES = 1000;

export function createFairShare<T>(): FairShare<T> {
  const queues = new Map<string, Queue<T>>();
  let size = 0;
  /** How much the party served last had used by then. A party that comes back starts there: a pause earns no credit. */
  let floor = 0;

  function queueOf(party: string): Queue<T> {
    const known = queues.get(party);
    if (known) return known;
    if (queues.size - size > MAX_IDLE_PARTIES) forgetIdle();
    const queue = { waiting: [], used: floor };
    queues.set(party, queue);
    return queue;
  }

  function forgetIdle(): void {
    for (const [party, { waiting }] of queues) if (waiting.length === 0) queues.delete(party);
  }

  /** Returns the queue of a party that an item is about to join. */
  function join(party: string): T[] {
    const queue = queueOf(party);
    if (queue.waiting.length === 0) queue.used = Math.max(queue.used, floor);
    size += 1;
    return queue.waiting;
  }

  function nextQueue(): Queue<T> | undefined {
    let best: Queue<T> | undefined;
    for (const queue of queues.values())
      if (queue.waiting.length > 0 && (!best || queue.used < best.used)) best = queue;
    return best;
  }

  return {
    size: () => size,
    add: (party, one) => void join(party).push(one),
    addFirst: (party, one) => void join(party).unshift(one),
    take() {
      const queue = nextQueue();
      if (!queue) return undefined;
      floor = queue.used;
      size -= 1;
      return queue.waiting.shift();
    },
    charge(party, amount) {
      queueOf(party).used += amount;
    },
  };
}
