/** Finds variables whose name is probably a misspelling of a known one: a misspelled limit would have no effect. */

export interface Misspelt {
  name: string;
  /** The known variable with nearly the same name. */
  meant: string;
}

/** Minimum length: shorter names, and names without an underscore, probably belong to other programs. */
const LEAST_LENGTH = 8;
const MOST_SLIPS = 2;

/** `names`: all variables that are set. `known`: all variables that the gateway reads. */
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

/** How many characters must be inserted, deleted or changed to turn one name into the other (Levenshtein distance). */
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
