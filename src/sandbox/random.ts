/**
 * Stateless random numbers. All data of the sandbox are a pure function of seed and time, so there is no generator
 * that advances: a value is the hash of a `stream` (a number for the seed and the name of what the value is for) and a
 * `position` in it (an index or a day).
 */

/** Octaves of noise, which `walk` adds up: their periods, in days, range from most of a year to about five seconds. */
const OCTAVES = Array.from({ length: 12 }, (_, index) => {
  const period = 4 ** (4 - index);
  return { period, weight: Math.sqrt(period) };
});

function mix(stream: number, position: number): number {
  let hash = Math.imul(stream ^ Math.imul(position | 0, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The stream for a name. Hashes the whole name, so call it once and keep the result. */
export function streamOf(seed: number, name: string): number {
  let hash = mix(0x811c9dc5, seed);
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return mix(hash, name.length);
}

/** A value in [0, 1). */
export function uniform(stream: number, position: number): number {
  return mix(stream, position) / 0x1_0000_0000;
}

/** A value in [-1, 1). */
export function centered(stream: number, position: number): number {
  return uniform(stream, position) * 2 - 1;
}

/** An element of a list, which must not be empty. */
export function pick<T>(list: readonly T[], stream: number, position: number): T {
  const chosen = list[Math.floor(uniform(stream, position) * list.length)];
  if (chosen === undefined) throw new Error('pick from an empty list');
  return chosen;
}

/** Noise in (-1, 1) that moves smoothly from one whole position to the next. */
export function smooth(stream: number, position: number): number {
  const whole = Math.floor(position);
  const part = position - whole;
  const from = centered(stream, whole);
  return from + (centered(stream, whole + 1) - from) * part * part * (3 - 2 * part);
}

/** Like a random walk that moves by about 1 a day, but computed directly for any time (in days). */
export function walk(stream: number, days: number): number {
  let sum = 0;
  for (const [index, { period, weight }] of OCTAVES.entries()) {
    sum += weight * smooth(stream + index, days / period);
  }
  return sum;
}

/** Rounds to a number of decimals. */
export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}
