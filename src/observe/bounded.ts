/** Makes labels of metrics out of texts that clients choose: only so many are told apart, the rest become OTHER. */
export type Bounded = (text: string) => string;

/** The text for those that do not fit any more. */
export const OTHER = '(other)';

/** No label is longer. */
const MAX_LENGTH = 100;

export function createBounded(most: number): Bounded {
  const known = new Set<string>();
  return (text) => {
    const short = text.slice(0, MAX_LENGTH);
    if (known.has(short)) return short;
    if (known.size >= most) return OTHER;
    known.add(short);
    return short;
  };
}
