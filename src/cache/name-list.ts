import type { Clock } from '../time.ts';

/**
 * Which names one request of a keyed set asks for: as many as fit, in number and in bytes. The limit in bytes is
 * learned from refusals, since the spec does not say how long a URL may be.
 */

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

interface NameLists {
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
   * What to ask for instead of a refused list: only its `names`, in several lists if the request may have been too
   * long. Undefined if that would be the same request again.
   */
  replaceRefused(refused: NameList, bytes: number): NameList[] | undefined;
  /** Splits names into lists that are short enough as far as is known, to which no names can be added. */
  split(names: ReadonlySet<string>, bytes: number): NameList[];
  /**
   * Notes that the list was refused for its length alone, so that all lists are shorter from now on; returns false if
   * that cannot help.
   */
  noteTooLong(refused: NameList): boolean;
  /** Learns the limit in bytes: `refused` was refused, and the lists `answered`, asked for instead, were not. */
  learn(refused: NameList, answered: readonly NameList[]): void;
}

/**
 * Size in bytes that lists are never made shorter than: each list is paid for, and an upstream that refuses such short
 * ones refuses all.
 */
const SAFE_BYTES = 1024;
/**
 * Share of its length that remains of a list that is certain to be too long. A refusal is free, and each list is paid
 * for: a limit is approached in small steps, but few, since an operation may send only so many requests.
 */
const STEP = 2 / 3;
/**
 * How long a learned limit is remembered, in milliseconds: a refusal costs nothing, and it may have been about a name.
 */
const LEARNED_FOR_MS = 3_600_000;

export function createNameLists(options: NameListOptions): NameLists {
  const { monotonic, maxNames, maxBytes, bytesOf, mayShare } = options;
  let learned = { bytes: Infinity, until: -Infinity };
  const bound = () => (monotonic() < learned.until ? Math.min(maxBytes, learned.bytes) : maxBytes);
  const countOf = ({ names, extras }: NameList) => names.size + extras.size;
  /** Maximum size in bytes of the lists that are asked for instead of a refused one. */
  const halfOf = ({ bytes }: NameList) => Math.max(SAFE_BYTES, Math.floor(bytes / 2));

  const sizeOf = (names: Iterable<string>) => {
    let bytes = 0;
    for (const name of names) bytes += bytesOf(name);
    return bytes;
  };

  function begin(name: string, bytes: number): NameList {
    const names = new Set([name]);
    return { names, extras: new Set(), bytes: bytes + bytesOf(name), isOpen: mayShare(name) };
  }

  function add(list: NameList, name: string, limit = bound()): NameList | undefined {
    if (!list.isOpen || countOf(list) >= maxNames || !mayShare(name)) return undefined;
    const bytes = list.bytes + bytesOf(name);
    if (bytes > limit) return undefined;
    list.names.add(name);
    list.bytes = bytes;
    return list;
  }

  function split(names: ReadonlySet<string>, bytes: number, limit = bound()): NameList[] {
    const lists: NameList[] = [];
    for (const name of names) {
      const last = lists.at(-1);
      if (!last || !add(last, name, limit)) lists.push(begin(name, bytes));
    }
    return lists.map((list) => ({ ...list, isOpen: false }));
  }

  /** Lowers the limit; it is never raised while it is remembered. */
  const lower = (bytes: number) =>
    (learned = { bytes: Math.min(bound(), bytes), until: monotonic() + LEARNED_FOR_MS });

  return {
    begin,
    only(names, bytes) {
      return { names, extras: new Set(), bytes: bytes + sizeOf(names), isOpen: false };
    },
    add,
    fill(list, others, maxCount) {
      if (!list.isOpen) return list;
      const extras: string[] = [];
      let { bytes } = list;
      for (const name of others.toReversed()) {
        bytes += bytesOf(name);
        if (countOf(list) + extras.length >= Math.min(maxCount, maxNames) || bytes > bound()) break;
        extras.unshift(name);
      }
      return { ...list, extras: new Set(extras), bytes: list.bytes + sizeOf(extras) };
    },
    withoutExtras: (list) => ({
      ...list,
      extras: new Set(),
      bytes: list.bytes - sizeOf(list.extras),
    }),
    replaceRefused(refused, bytes) {
      const lists = split(refused.names, bytes, halfOf(refused));
      return refused.extras.size > 0 || lists.length > 1 ? lists : undefined;
    },
    split: (names, bytes) => split(names, bytes),
    noteTooLong(refused) {
      if (countOf(refused) === 1 || refused.bytes <= SAFE_BYTES) return false;
      lower(Math.max(SAFE_BYTES, Math.floor(refused.bytes * STEP)));
      return true;
    },
    learn(refused, answered) {
      const half = halfOf(refused);
      if (refused.bytes > half) lower(Math.max(half, ...answered.map((list) => list.bytes)));
    },
  };
}
