/** Turns texts that clients choose into metric labels: only a limited number are told apart, the rest become OTHER. */
export type Bounded = (text: string) => string;

/** The label for all texts beyond the limit. */
export const OTHER = '(other)';

/** Maximum length of a label, in characters. */
const MAX_LENGTH = 100;

export function createBounded(max: number): Bounded {
  const known = new Set<string>();
  return (text) => {
    const short = text.slice(0, MAX_LENGTH);
    if (known.has(short)) return short;
    if (known.size >= max) return OTHER;
    known.add(short);
    return short;
  };
}
