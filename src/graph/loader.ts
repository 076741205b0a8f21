import DataLoader from 'dataloader';
import { noteUnderWay, type Operation } from '../usage/operation.ts';
import type { Maybe } from './maybe.ts';

export interface LoaderOptions<W, V> {
  operation: Operation;
  keyOf(want: W): string;
  /** What is fresh, at once. */
  read(want: W): V | undefined;
  /** All other wants of one tick together; an error is that want's own. */
  batch(wants: readonly W[]): Promise<readonly (V | Error)[]>;
}

/**
 * A DataLoader for one dataset and operation that answers at once what is fresh. An operation sees
 * one answer to one question, and that question counts once.
 */
export function createLoader<W, V>({ operation, keyOf, read, batch }: LoaderOptions<W, V>) {
  const answers = new Map<string, Maybe<V>>();
  const loader = new DataLoader<W, V, string>(batch, { cacheKeyFn: keyOf, cache: false });
  return (want: W): Maybe<V> => {
    const key = keyOf(want);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(want) ?? loader.load(want);
    answers.set(key, answer);
    if (answer instanceof Promise) noteUnderWay(operation, answer);
    return answer;
  };
}

export type Loader<W, V> = (want: W) => Maybe<V>;
