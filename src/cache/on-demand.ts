/**
 * Makes a value when it is asked for, and makes it again if it has been garbage collected since: an operation that
 * waits for something else then holds none of the lists that its fields were made from.
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
