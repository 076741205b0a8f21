/** Finds variables whose name is probably a misspelling of a known one: a misspelled limit would have no effect. */

export interface Misspelled {
  name: string;
  /** The known variable with nearly the same name. */
  meant: string;
}

/** Minimum length: shorter names, and names without an underscore, probably belong to other programs. */
const MIN_LENGTH = 8;
const MAX_EDITS = 2;

/** `names`: all variables that are set. `known`: all variables that the gateway reads. */
export function misspelledIn(names: readonly string[], known: ReadonlySet<string>): Misspelled[] {
  const others = names.filter(
    (name) => name.length >= MIN_LENGTH && name.includes('_') && !known.has(name),
  );
  return others.flatMap((name) => {
    const meant = [...known].find((one) => isSimilar(name, one));
    return meant === undefined ? [] : { name, meant };
  });
}

function isSimilar(name: string, other: string): boolean {
  return (
    Math.abs(name.length - other.length) <= MAX_EDITS && editDistance(name, other) <= MAX_EDITS
  );
}

/** How many characters must be inserted, deleted or changed to turn one name into the other (Levenshtein distance). */
function editDistance(a: string, b: string): number {
  let previousRow = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = previousRow[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(row[j - 1]! + 1, previousRow[j]! + 1, changed));
    }
    previousRow = row;
  }
  return previousRow[b.length]!;
}
