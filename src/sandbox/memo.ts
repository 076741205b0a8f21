/** Caches the results of a pure function by its argument. Past `max` keys the whole cache is emptied. */
export function memoize<K, V>(make: (key: K) => V, max: number): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= max) known.clear();
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
