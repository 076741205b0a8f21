/** A value or a promise of it. Fresh data are served as values: waiting for a promise would be slower. */
export type Maybe<T> = T | Promise<T>;

/** Uses a value at once where it is here, else when it comes. */
export function whenReady<T, U>(value: Maybe<T>, use: (value: T) => Maybe<U>): Maybe<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** All values as a list, at once where all are here. */
export function whenAll<T>(values: readonly Maybe<T>[]): Maybe<T[]> {
  const ready: T[] = [];
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values);
    ready.push(value);
  }
  return ready;
}

/** What a task gives; one that throws gives a promise that rejects. */
export function attempt<T>(task: () => Maybe<T>): Maybe<T> {
  try {
    return task();
  } catch (error) {
    return Promise.reject(asError(error));
  }
}

/** The code of an error that was caught, e.g. ENOENT; undefined where it has none. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : undefined;
}

/** A caught reason as an Error, so that a batch can answer each of its parts by itself. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
