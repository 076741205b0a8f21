/** A value or a promise of it. Cached data are passed on as values: waiting for a promise would be slower. */
export type Maybe<T> = T | Promise<T>;

/** Calls `use` at once if the value is available, else when its promise resolves. */
export function whenReady<T, U>(value: Maybe<T>, use: (value: T) => Maybe<U>): Maybe<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** All values as a list, at once if none is a promise. */
export function whenAll<T>(values: readonly Maybe<T>[]): Maybe<T[]> {
  const ready: T[] = [];
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values);
    ready.push(value);
  }
  return ready;
}

/** Returns the result of a task; if it throws, a promise that rejects. */
export function attempt<T>(task: () => Maybe<T>): Maybe<T> {
  try {
    return task();
  } catch (error) {
    return Promise.reject(asError(error));
  }
}

/** The code of a caught error, e.g. ENOENT; undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

/** A caught reason as an Error, so that a batch can answer each of its items on its own. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
