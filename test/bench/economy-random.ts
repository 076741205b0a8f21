/** Random choices from a seed, so that a trace is the same on every machine. */
export interface Draw {
  /** From 0, inclusive, to 1, exclusive. */
  number(): number;
  whole(below: number): number;
  chance(share: number): boolean;
  among<T>(list: readonly T[]): T;
  /** The nth of a list is drawn 1/n times as often as the first (Zipf). */
  popular<T>(list: readonly T[]): T;
  /** The first part of each entry is its weight. */
  weighted<T>(entries: readonly (readonly [weight: number, value: T])[]): T;
}

export function createDraw(seed: number): Draw {
  let state = seed >>> 0;

  /** Mulberry32. */
  function number(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function weighted<T>(entries: readonly (readonly [number, T])[]): T {
    let left = number() * entries.reduce((sum, [weight]) => sum + weight, 0);
    const found = entries.find(([weight]) => (left -= weight) < 0) ?? entries.at(-1);
    if (!found) throw new Error('nothing to draw from');
    return found[1];
  }

  const whole = (below: number) => Math.floor(number() * below);
  return {
    number,
    whole,
    chance: (share) => number() < share,
    among: (list) => weighted(list.map((value) => [1, value] as const)),
    popular: (list) => weighted(list.map((value, i) => [1 / (i + 1), value] as const)),
    weighted,
  };
}
