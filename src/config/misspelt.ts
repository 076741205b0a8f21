/** Variables that are set and nobody reads, but for a slip: a limit that is misspelt would bound nothing. */

export interface Misspelt {
  name: string;
  /** The variable that it is nearly. */
  meant: string;
}

/** Shorter names, and such without an underscore, are likely to be those of other programs. */
const LEAST_LENGTH = 8;
const MOST_SLIPS = 2;

/** `known`: all variables that are read. */
export function misspeltIn(names: readonly string[], known: ReadonlySet<string>): Misspelt[] {
  const others = names.filter(
    (name) => name.length >= LEAST_LENGTH && name.includes('_') && !known.has(name),
  );
  return others.flatMap((name) => {
    const meant = [...known].find((one) => isNearly(name, one));
    return meant === undefined ? [] : { name, meant };
  });
}

function isNearly(name: string, other: string): boolean {
  return Math.abs(name.length - other.length) <= MOST_SLIPS && slips(name, other) <= MOST_SLIPS;
}

/** How many characters one has to put in, take out or change (Levenshtein). */
function slips(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(row[j - 1]! + 1, before[j]! + 1, changed));
    }
    before = row;
  }
  return before[b.length]!;
}
