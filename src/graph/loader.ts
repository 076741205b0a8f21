import DataLoader from 'dataloader';
import type { Maybe } from '../maybe.ts';
import { track } from '../shared/tasks.ts';
import type { Context } from './context.ts';
import { whenFieldsBegun } from './time-slices.ts';

interface LoaderOptions<Want, V> {
  keyOf(want: Want): string;
  /** Returns fresh data at once; undefined if there is none. */
  read(want: Want): V | undefined;
  /** Loads all other wants of fields that begin together. An error is about the want in its place alone. */
  batch(wants: readonly Want[]): Promise<readonly (V | Error)[]>;
}

/** Creates a loader for one operation: each question is answered, and counted, once. */
export function createLoader<Want, V>(
  { operation, resources }: Context,
  { keyOf, read, batch }: LoaderOptions<Want, V>,
): (want: Want) => Maybe<V> {
  const answers = new Map<string, Maybe<V>>();
  /** Created for the first want that `read` does not answer. */
  let loader: DataLoader<Want, V, string> | undefined;

  const begin = () => {
    const loadAll = async (wants: readonly Want[]) => {
      // Nothing is asked for once the operation is over.
      if (resources.error) throw resources.error;
      return batch(wants);
    };
    // Sent once no field waits for its turn: such fields have wants of their own, for the same request.
    const batchScheduleFn = (send: () => void) =>
      void whenFieldsBegun(resources).then(() => process.nextTick(send));
    return new DataLoader(loadAll, { cacheKeyFn: keyOf, cache: false, batchScheduleFn });
  };
  return (want) => {
    const key = keyOf(want);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(want) ?? (loader ??= begin()).load(want);
    answers.set(key, answer);
    if (answer instanceof Promise) track(operation.underWay, answer);
    return answer;
  };
}
