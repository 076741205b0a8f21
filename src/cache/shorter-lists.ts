import { UrlTooLong } from '../upstream/errors.ts';
import { isRefused } from './cached.ts';
import type { KnownNames } from './known-names.ts';
import type { NameList, NameLists } from './name-list.ts';
import type { Wish } from './supply.ts';

/** What is asked for instead of a refused list of names: shorter lists, since it may have been too long. */

export type Asker<K> = Pick<Wish<K, NameList>, 'key' | 'operation' | 'clients'>;

interface ShorterListsOptions<K, R> {
  lists: NameLists;
  memory: { noteRefused(names: ReadonlySet<string>): void };
  /** Size of a request's path and query without names, in bytes. */
  emptyBytes(key: K): number;
  /** Makes one request. */
  bring(asker: Asker<K>, list: NameList): Promise<KnownNames<R>>;
}

/**
 * Returns a function that asks only for the names that are waited for, after a refusal of `refused`. It throws `error`
 * if that is no refusal, or if this cannot help.
 */
export function createShorterLists<K, R>(options: ShorterListsOptions<K, R>) {
  const { lists, memory, emptyBytes, bring } = options;

  /**
   * A list that was certainly too long shows the limit at once; one that may have been does so only if its parts are
   * answered.
   */
  async function fetchInstead(
    asker: Asker<K>,
    refused: NameList,
    error: unknown,
  ): Promise<KnownNames<R>> {
    if (!isRefused(error)) throw error;
    const bytes = emptyBytes(asker.key);
    if (error instanceof UrlTooLong && lists.noteTooLong(refused))
      return fetchAll(asker, lists.split(refused.names, bytes));
    const parts = lists.replaceRefused(refused, bytes);
    if (!parts) throw error;
    memory.noteRefused(refused.extras);
    const brought = await fetchInTurn(asker, parts);
    lists.learn(refused, parts);
    return brought;
  }

  /**
   * Asks for one part after the other, so that a name which the upstream refuses costs one request at most: once a part
   * is answered, the refusal of one that is no longer is about a name.
   */
  async function fetchInTurn(asker: Asker<K>, parts: readonly NameList[]): Promise<KnownNames<R>> {
    const brought: KnownNames<R>[] = [];
    for (const { names } of parts)
      // What the parts before have taught may allow only shorter lists.
      brought.push(await fetchAll(asker, lists.split(names, emptyBytes(asker.key))));
    return new Map(brought.flatMap((part) => [...part]));
  }

  const fetchPart = (asker: Asker<K>, part: NameList): Promise<KnownNames<R>> =>
    bring(asker, part).catch((error: unknown) => fetchInstead(asker, part, error));

  /** Asks for all parts at once. */
  async function fetchAll(asker: Asker<K>, parts: readonly NameList[]): Promise<KnownNames<R>> {
    const ended = await Promise.allSettled(parts.map((part) => fetchPart(asker, part)));
    const failed = ended.find((part) => part.status === 'rejected');
    if (failed) throw failed.reason;
    return new Map(ended.flatMap((part) => (part.status === 'fulfilled' ? [...part.value] : [])));
  }

  return fetchInstead;
}
