import type { Clock } from '../time.ts';

/**
 * Which names one request of a keyed set asks for: as many as fit, in number and in bytes. The bound in
 * bytes is learnt from refusals, since the spec does not tell how long a URL may be.
 */

export interface NameList {
  /** What somebody waits for. */
  readonly names: Set<string>;
  /** What is asked for along with it, because it costs nothing. */
  readonly along: Set<string>;
  /** How many bytes the request's path and query have. */
  bytes: number;
  /** False: these names and no others, so that a refusal is about them. */
  readonly isOpen: boolean;
}

export const asksFor = ({ names, along }: NameList, name: string): boolean =>
  names.has(name) || along.has(name);

export interface NameListOptions {
  monotonic: Clock;
  /** How many names one request takes. */
  maxNames: number;
  /** How many bytes a request's path and query may have; one name alone may have more. */
  maxBytes: number;
  /** How many bytes a name adds to the query. */
  bytesOf(name: string): number;
  /** Whether a name may share a request: not if the upstream may refuse all of them because of it. */
  mayShare(name: string): boolean;
}

interface NameLists {
  /** A list of one name, in a request that is `bytes` long without names. */
  begin(name: string, bytes: number): NameList;
  /** A list of these names, to which none can be added. */
  only(names: Set<string>, bytes: number): NameList;
  /** The list with one name more, changed in place; undefined where it does not fit. */
  add(list: NameList, name: string): NameList | undefined;
  /** The list with as many of `others` along as fit, the last ones first, `most` names in all. */
  fill(list: NameList, others: readonly string[], most: number): NameList;
  /** The list without what is asked for along. */
  alone(list: NameList): NameList;
  /**
   * What to ask instead of a list that was refused: its names alone, in several lists where it may have
   * been too long. Undefined where that would be the same again.
   */
  instead(refused: NameList, bytes: number): NameList[] | undefined;
  /** `refused` was refused, and `answered` instead of it was not. */
  learn(refused: NameList, answered: readonly NameList[]): void;
}

/** Shorter requests are refused for something else than their length. */
const NEVER_TOO_LONG = 1024;
/** A bound that was learnt is forgotten after this: a refusal costs nothing, and it may have been about a name. */
const LEARNT_FOR_MS = 3_600_000;

export function createNameLists(options: NameListOptions): NameLists {
  const { monotonic, maxNames, maxBytes, bytesOf, mayShare } = options;
  let learnt = { bytes: Infinity, until: -Infinity };
  const bound = () => (monotonic() < learnt.until ? Math.min(maxBytes, learnt.bytes) : maxBytes);
  const countOf = ({ names, along }: NameList) => names.size + along.size;
  /** How long the lists may be that are asked instead of one that was refused. */
  const halfOf = ({ bytes }: NameList) => Math.max(NEVER_TOO_LONG, Math.floor(bytes / 2));

  const sizeOf = (names: Iterable<string>) => {
    let bytes = 0;
    for (const name of names) bytes += bytesOf(name);
    return bytes;
  };

  function begin(name: string, bytes: number): NameList {
    const names = new Set([name]);
    return { names, along: new Set(), bytes: bytes + bytesOf(name), isOpen: mayShare(name) };
  }

  function add(list: NameList, name: string, most?: number): NameList | undefined {
    if (!list.isOpen || countOf(list) >= maxNames || !mayShare(name)) return undefined;
    const bytes = list.bytes + bytesOf(name);
    if (bytes > (most ?? bound())) return undefined;
    list.names.add(name);
    list.bytes = bytes;
    return list;
  }

  /** The names in lists to which nobody else may add. */
  function split(names: ReadonlySet<string>, bytes: number, most: number): NameList[] {
    const lists: NameList[] = [];
    for (const name of names) {
      const last = lists.at(-1);
      if (!last || !add(last, name, most)) lists.push(begin(name, bytes));
    }
    return lists.map((list) => ({ ...list, isOpen: false }));
  }

  return {
    begin,
    only(names, bytes) {
      return { names, along: new Set(), bytes: bytes + sizeOf(names), isOpen: false };
    },
    add: (list, name) => add(list, name),
    fill(list, others, most) {
      if (!list.isOpen) return list;
      const along: string[] = [];
      let { bytes } = list;
      for (const name of others.toReversed()) {
        bytes += bytesOf(name);
        if (countOf(list) + along.length >= Math.min(most, maxNames) || bytes > bound()) break;
        along.unshift(name);
      }
      return { ...list, along: new Set(along), bytes: list.bytes + sizeOf(along) };
    },
    alone: (list) => ({
      ...list,
      along: new Set(),
      bytes: list.bytes - sizeOf(list.along),
    }),
    instead(refused, bytes) {
      const half = halfOf(refused);
      const lists = split(refused.names, bytes, refused.bytes > half ? half : Infinity);
      return refused.along.size > 0 || lists.length > 1 ? lists : undefined;
    },
    learn(refused, answered) {
      const half = halfOf(refused);
      if (refused.bytes <= half) return;
      const bytes = Math.max(half, ...answered.map((list) => list.bytes));
      learnt = { bytes: Math.min(bound(), bytes), until: monotonic() + LEARNT_FOR_MS };
    },
  };
}
