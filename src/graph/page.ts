/** Relay pages of a list that has been loaded as a whole, and the cursors that point into it. */

/** What a cursor points at: a node, and its place in case the node has left the list since. */
export interface Position {
  index: number;
  id: string;
  /** The order of the list that it points into; empty for the list's own order. */
  order: string;
}

export interface PageArguments {
  first?: number | null | undefined;
  after?: Position | null | undefined;
  last?: number | null | undefined;
  before?: Position | null | undefined;
}

export interface Page<N> {
  nodes: readonly N[];
  /** Where the page begins in the whole list, and how long the list is. */
  offset: number;
  length: number;
  /** Which list it is, and in which order: a cursor into another one is refused. */
  kind: string;
}

/** Maximum number of nodes on a page, and the number by default. */
export const MAX_PAGE = 500;
export const DEFAULT_PAGE = 100;

export function cursorOf(kind: string, index: number, id: string): string {
  return Buffer.from(`${kind}:${index}:${id}`).toString('base64url');
}

/** Returns what a cursor points at; undefined if it is not a cursor of this kind of list. */
export function readCursor(kind: string, cursor: string): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, list, order = '', index, id = ''] = /^(\w+)(?:\.(\w+))?:(\d+):(.+)$/s.exec(text) ?? [];
  return list === kind ? { index: Number(index), id, order } : undefined;
}

/** Cuts a page out of `all`: first by the cursors, then `first` nodes from the front, then `last` from the back. */
export function pageOf<N extends { id: string }>(
  kind: string,
  all: readonly N[],
  args: PageArguments,
): Page<N> {
  const { after, before } = args;
  const { first, last } = sizesOf(args);
  const from = after ? indexOf(all, after, 1) : 0;
  const to = before ? Math.max(from, indexOf(all, before, 0)) : all.length;
  const end = Math.min(to, from + first);
  const start = Math.max(from, end - last);
  return { nodes: sliceOf(all, start, end), offset: start, length: all.length, kind };
}

interface Slice {
  start: number;
  end: number;
  nodes: readonly unknown[];
}

/**
 * The last page cut from each list. If the same page is asked for again, the same array is returned, whose JSON text
 * execution/compiler/memo.ts remembers.
 */
const slices = new WeakMap<readonly unknown[], Slice>();

function sliceOf<N>(all: readonly N[], start: number, end: number): readonly N[] {
  const last = slices.get(all);
  if (last?.start === start && last.end === end) return last.nodes as readonly N[];
  const nodes = all.slice(start, end);
  slices.set(all, { start, end, nodes });
  return nodes;
}

/**
 * Returns where a cursor points in `left`, from which its node may have been filtered out meanwhile:
 * after the nodes that come before it in `whole`, which has the same order. `unknown`: the place of a
 * node that is not in `whole` either.
 */
export function placeAmong<N extends { id: string }>(
  left: readonly N[],
  whole: readonly N[],
  position: Position,
  unknown: number,
): Position {
  if (left[position.index]?.id === position.id) return position;
  const at = whole.findIndex(({ id }) => id === position.id);
  if (at < 0) return { ...position, index: unknown };
  const before = new Set(whole.slice(0, at));
  return { ...position, index: left.filter((node) => before.has(node)).length };
}

/** How many items of a list are needed for a page of it; Infinity if the page is counted from the back. */
export function lengthFor(args: PageArguments): number {
  const { first, last } = sizesOf(args);
  if (args.before || last !== Infinity) return Infinity;
  return (args.after ? args.after.index + 1 : 0) + first;
}

/** Returns the same arguments, with the place in `all` to which the cursor `after` points now. */
export function withAfterIn(all: readonly { id: string }[], args: PageArguments): PageArguments {
  const { after } = args;
  return after ? { ...args, after: { ...after, index: indexOf(all, after, 0) } } : args;
}

/** The sizes of a page; Infinity means no limit. Without a size, the page is the nodes next to its cursor. */
function sizesOf({ first, after, last, before }: PageArguments): { first: number; last: number } {
  const hasSize = typeof (first ?? last) === 'number';
  const isBackward = before && !after;
  return {
    first: first ?? (hasSize || isBackward ? Infinity : DEFAULT_PAGE),
    last: last ?? (hasSize || !isBackward ? Infinity : DEFAULT_PAGE),
  };
}

/** The index of the node, plus `step`. If the node has left the list, the one that followed it is in its place now. */
function indexOf(all: readonly { id: string }[], { index, id }: Position, step: 0 | 1): number {
  const found = all[index]?.id === id ? index : all.findIndex((node) => node.id === id);
  return found < 0 ? Math.min(index, all.length) : found + step;
}
