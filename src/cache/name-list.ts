import type { Clock } from '../time.ts';
import { createNameLimits, type Length, usualCountBelow } from './name-limits.ts';

/** Which names one request of a keyed set asks for: as many as fit, in number and in bytes (name-limits.ts). */

export interface NameList {
  /** Names that somebody waits for. */
  readonly names: Set<string>;
  /** Names that are asked for along with them, because that costs nothing. */
  readonly extras: Set<string>;
  /** Size of the request's path and query, in bytes. */
  bytes: number;
  /** Whether names may be added; if not, a refusal is about these names. */
  readonly isOpen: boolean;
}

export const asksFor = ({ names, extras }: NameList, name: string): boolean =>
  names.has(name) || extras.has(name);

/** The names that somebody waits for, as text. */
export const namesIn = ({ names }: NameList): string => [...names].join();

export interface NameListOptions {
  monotonic: Clock;
  /** Maximum number of names in one request. */
  maxNames: number;
  /** Maximum size of a request's path and query, in bytes; a single name may exceed it. */
  maxBytes: number;
  /** How many bytes a name adds to the query. */
  bytesOf(name: string): number;
  /** Whether a name may share a request with others; false if the upstream may refuse all of them because of it. */
  mayShare(name: string): boolean;
}

export interface NameLists {
  /** A list of one name, in a request that is `bytes` long without names. */
  begin(name: string, bytes: number): NameList;
  /** A list of these names, to which none can be added. */
  only(names: Set<string>, bytes: number): NameList;
  /** The list with one more name, changed in place; undefined if the name does not fit. */
  add(list: NameList, name: string): NameList | undefined;
  /**
   * The list with as many of `others` added to `extras` as fit, the last ones first, and at most `maxCount` names in all.
   */
  fill(list: NameList, others: readonly string[], maxCount: number): NameList;
  /** The list without its extra names. */
  withoutExtras(list: NameList): NameList;
  /**
   * What to ask for instead of a refused list: its `names` without the extra ones; if it had none, shorter parts of
   * them. Undefined if it was not too long as far as is known: then the refusal is about a name.
   */
  replaceRefused(refused: NameList, bytes: number): NameList[] | undefined;
  /** Splits names into lists that are short enough as far as is known, to which no names can be added. */
  split(names: ReadonlySet<string>, bytes: number): NameList[];
  /**
   * Notes that the list was refused for its length alone, so that all lists are shorter from now on; returns false if
   * that cannot help.
   */
  noteTooLong(refused: NameList): boolean;
  /** Notes that a request for these names was answered: none that is as short is refused for its length. */
  noteAnswered(names: readonly string[], bytes: number): void;
  /** Learns limits: `refused`, which may have been too long, was refused; the lists sent instead were answered. */
  learn(refused: NameList, instead: readonly NameList[]): void;
}

export function createNameLists(options: NameListOptions): NameLists {
  const { monotonic, maxNames, maxBytes, bytesOf, mayShare } = options;
  const limits = createNameLimits(monotonic, { names: maxNames, bytes: maxBytes });
  const countOf = ({ names, extras }: NameList) => names.size + extras.size;
  const lengthOf = (list: NameList): Length => ({ names: countOf(list), bytes: list.bytes });

  const sizeOf = (names: Iterable<string>) => {
    let bytes = 0;
    for (const name of names) bytes += bytesOf(name);
    return bytes;
  };

  function begin(name: string, bytes: number): NameList {
    const names = new Set([name]);
    return { names, extras: new Set(), bytes: bytes + bytesOf(name), isOpen: mayShare(name) };
  }

  function add(list: NameList, name: string): NameList | undefined {
    const max = limits.now();
    if (!list.isOpen || countOf(list) >= max.names || !mayShare(name)) return undefined;
    const bytes = list.bytes + bytesOf(name);
    if (bytes > max.bytes) return undefined;
    list.names.add(name);
    list.bytes = bytes;
    return list;
  }

  const only = (names: Set<string>, bytes: number): NameList => ({
    names,
    extras: new Set(),
    bytes: bytes + sizeOf(names),
    isOpen: false,
  });

  const withoutExtras = (list: NameList): NameList => ({
    ...list,
    extras: new Set(),
    bytes: list.bytes - sizeOf(list.extras),
  });

  return {
    begin,
    only,
    add,
    fill(list, others, maxCount) {
      if (!list.isOpen) return list;
      const extras: string[] = [];
      let { bytes } = list;
      const max = limits.now();
      const most = Math.min(maxCount, max.names, max.withExtras);
      for (const name of others.toReversed()) {
        bytes += bytesOf(name);
        if (countOf(list) + extras.length >= most || bytes > max.bytes) break;
        extras.unshift(name);
      }
      return { ...list, extras: new Set(extras), bytes: list.bytes + sizeOf(extras) };
    },
    withoutExtras,
    replaceRefused(refused, bytes) {
      if (refused.extras.size > 0) return [withoutExtras(refused)];
      if (!limits.mayBeTooLong(lengthOf(refused))) return undefined;
      const names = [...refused.names];
      const most = usualCountBelow(names.length);
      const starts = names.keys().filter((i) => i % most === 0);
      return [...starts].map((i) => only(new Set(names.slice(i, i + most)), bytes));
    },
    split(names, bytes) {
      const parts: NameList[] = [];
      for (const name of names) {
        const last = parts.at(-1);
        if (!last || !add(last, name)) parts.push(begin(name, bytes));
      }
      return parts.map((list) => ({ ...list, isOpen: false }));
    },
    noteTooLong: (refused) => limits.noteTooLong(lengthOf(refused)),
    noteAnswered: (names, bytes) =>
      limits.noteAnswered({ names: names.length, bytes: bytes + sizeOf(names) }),
    learn: (refused, instead) =>
      limits.learn(lengthOf(refused), instead.map(lengthOf), refused.extras.size > 0),
  };
}
