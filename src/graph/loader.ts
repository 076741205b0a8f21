import DataLoader from 'dataloader';
import type { Maybe } from '../maybe.ts';
import { track } from '../shared/tasks.ts';
import type { Context } from './context.ts';
import { whenFieldsBegun } from './time-slices.ts';

interface LoaderOptions<Want, V> {
  keyOf(want: Want): string;
  /** What is fresh, at once. */
  read(want: Want): V | undefined;
  /** All other wants of fields that begin together; an error is that want's own. */
  batch(wants: readonly Want[]): Promise<readonly (V | Error)[]>;
}

/** One operation's answers: each question is answered, and counted, once. */
export function createLoader<Want, V>(
  context: Context,
  { keyOf, read, batch }: LoaderOptions<Want, V>,
): (want: Want) => Maybe<V> {
  const answers = new Map<string, Maybe<V>>();
  /** Made for the first want that is not here. */
  let loader: DataLoader<Want, V, string> | undefined;
  const begin = () =>
    new DataLoader(batchWithin(context, batch), {
      cacheKeyFn: keyOf,
      cache: false,
      batchScheduleFn: (send) => dispatch(context, send),
    });
  return (want) => {
    const key = keyOf(want);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(want) ?? (loader ??= begin()).load(want);
    answers.set(key, answer);
    if (answer instanceof Promise) track(context.operation.underWay, answer);
    return answer;
  };
}

/** Fields that wait for their turn have wants of their own, which one request may bring, too. */
function dispatch({ resources }: Context, send: () => void): void {
  void whenFieldsBegun(resources).then(() => process.nextTick(send));
}

/** Nothing more is asked for once the operation is over. */
function batchWithin<Want, V>(
  { resources }: Context,
  batch: LoaderOptions<Want, V>['batch'],
): LoaderOptions<Want, V>['batch'] {
  return async (wants) => {
    if (resources.error) throw resources.error;
    return batch(wants);
  };
}
