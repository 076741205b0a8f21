/**
 * Makes a value when it is asked for, and makes it anew where nobody has held it since: an operation that waits for
 * something else keeps none of the lists that its fields were made of.
 */
export function onDemand<T extends object>(make: () => T): () => T {
  let last: WeakRef<T> | undefined;
  return () => {
    const known = last?.deref();
    if (known) return known;
    const made = make();
    last = new WeakRef(made);
    return made;
  };
}
