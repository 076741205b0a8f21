/** What waits for its turn, one queue for each party: the party that has taken the least comes first. */
interface FairShare<T> {
  size(): number;
  add(party: string, one: T): void;
  /** Before all others of its party. */
  addFirst(party: string, one: T): void;
  /** Takes out what comes next; undefined where nothing waits. */
  take(): T | undefined;
  /** Books what a party has taken of what is shared, in any unit. */
  charge(party: string, amount: number): void;
}

interface Queue<T> {
  waiting: T[];
  /** What the party has taken, all told. */
  taken: number;
}

/** Parties that are remembered while nothing of theirs waits. */
const MAX_IDLE = 1000;

export function createFairShare<T>(): FairShare<T> {
  const queues = new Map<string, Queue<T>>();
  let size = 0;
  /** What the party that was served last had taken by then. A party that comes back starts from there, so that a pause is no credit. */
  let least = 0;

  function queueOf(party: string): Queue<T> {
    const known = queues.get(party);
    if (known) return known;
    if (queues.size - size > MAX_IDLE) forgetIdle();
    const queue = { waiting: [], taken: least };
    queues.set(party, queue);
    return queue;
  }

  function forgetIdle(): void {
    for (const [party, { waiting }] of queues) if (waiting.length === 0) queues.delete(party);
  }

  /** The queue to put something into. */
  function joined(party: string): T[] {
    const queue = queueOf(party);
    if (queue.waiting.length === 0) queue.taken = Math.max(queue.taken, least);
    size += 1;
    return queue.waiting;
  }

  function first(): Queue<T> | undefined {
    let best: Queue<T> | undefined;
    for (const queue of queues.values())
      if (queue.waiting.length > 0 && (!best || queue.taken < best.taken)) best = queue;
    return best;
  }

  return {
    size: () => size,
    add: (party, one) => void joined(party).push(one),
    addFirst: (party, one) => void joined(party).unshift(one),
    take() {
      const queue = first();
      if (!queue) return undefined;
      least = queue.taken;
      size -= 1;
      return queue.waiting.shift();
    },
    charge(party, amount) {
      queueOf(party).taken += amount;
    },
  };
}
