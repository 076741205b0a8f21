/** Values that are mostly here already: fresh data is served without the detour of a promise. */
export type Maybe<T> = T | Promise<T>;

export function whenReady<T, U>(value: Maybe<T>, use: (value: T) => Maybe<U>): Maybe<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

export function whenAll<T>(values: readonly Maybe<T>[]): Maybe<T[]> {
  const ready: T[] = [];
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values);
    ready.push(value);
  }
  return ready;
}
