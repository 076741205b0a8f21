/** What waits for its turn, one line for each party: the party that has taken the least comes first. */
export interface Lines<T> {
  size(): number;
  add(party: string, one: T): void;
  /** Before all others of its party. */
  addFirst(party: string, one: T): void;
  /** Takes out what comes next; undefined where nothing waits. */
  take(): T | undefined;
  /** Books what a party has taken of what is shared, in any unit. */
  charge(party: string, amount: number): void;
}

interface Line<T> {
  waiting: T[];
  /** What the party has taken, all told. */
  taken: number;
}

/** Parties that are remembered while nothing of theirs waits. */
const MAX_IDLE = 1000;

export function createLines<T>(): Lines<T> {
  const lines = new Map<string, Line<T>>();
  let size = 0;
  /** What the party that was served last had taken by then. A party that comes back starts from there, so that a pause is no credit. */
  let least = 0;

  function lineOf(party: string): Line<T> {
    const known = lines.get(party);
    if (known) return known;
    if (lines.size - size > MAX_IDLE) forgetIdle();
    const line = { waiting: [], taken: least };
    lines.set(party, line);
    return line;
  }

  function forgetIdle(): void {
    for (const [party, { waiting }] of lines) if (waiting.length === 0) lines.delete(party);
  }

  /** The line to put something into. */
  function joined(party: string): T[] {
    const line = lineOf(party);
    if (line.waiting.length === 0) line.taken = Math.max(line.taken, least);
    size += 1;
    return line.waiting;
  }

  function first(): Line<T> | undefined {
    let best: Line<T> | undefined;
    for (const line of lines.values())
      if (line.waiting.length > 0 && (!best || line.taken < best.taken)) best = line;
    return best;
  }

  return {
    size: () => size,
    add: (party, one) => void joined(party).push(one),
    addFirst: (party, one) => void joined(party).unshift(one),
    take() {
      const line = first();
      if (!line) return undefined;
      least = line.taken;
      size -= 1;
      return line.waiting.shift();
    },
    charge(party, amount) {
      lineOf(party).taken += amount;
    },
  };
}
