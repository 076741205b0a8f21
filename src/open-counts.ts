/** How many of something are open, by a client's name, an address or any other text. */
export interface OpenCounts {
  of(name: string): number;
  total(): number;
  /** Counts one more as open, until the returned function is called; call that exactly once. */
  begin(name: string): () => void;
}

export function createOpenCounts(): OpenCounts {
  const counts = new Map<string, number>();
  let total = 0;
  const countOf = (name: string) => counts.get(name) ?? 0;
  return {
    of: countOf,
    total: () => total,
    begin(name) {
      counts.set(name, countOf(name) + 1);
      total += 1;
      return () => {
        total -= 1;
        const left = countOf(name) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}
