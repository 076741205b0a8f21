/**
 * Remembers what a pure function gave for a key. The sandbox is asked for the same days by hundreds of thousands of
 * requests; past `max` keys everything is forgotten, which costs only time.
 */
export function memoise<K, V>(make: (key: K) => V, max: number): (key: K) => V {
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
