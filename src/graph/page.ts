import { badInput } from '../upstream/errors.ts';

/** Relay pages over a list that is here as a whole. */

export interface PageArguments {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

export interface Page<N> {
  nodes: readonly N[];
  /** Where the page begins in the whole list, and how long that is. */
  offset: number;
  length: number;
  /** The kind of list, so that a cursor of another kind is refused. */
  kind: string;
}

const DEFAULT_SIZE = 100;
export const FOREIGN_CURSOR = 'is not a cursor of this list';

/** A cursor holds the node's id, and its place in case the node has left the list since. */
export function cursorOf(kind: string, index: number, id: string): string {
  return Buffer.from(`${kind}:${index}:${id}`).toString('base64url');
}

/** Cuts a page out of `all`. Throws BAD_USER_INPUT for a cursor that is not of this kind. */
export function pageOf<N extends { id: string }>(
  kind: string,
  all: readonly N[],
  { first, after, last, before }: PageArguments,
): Page<N> {
  let start = after ? indexOf(kind, all, 'after', after) + 1 : 0;
  let end = before ? indexOf(kind, all, 'before', before) : all.length;
  const size = first ?? (last === null || last === undefined ? DEFAULT_SIZE : undefined);
  const fromTheEnd = first === null || first === undefined ? before && !after : false;
  end = Math.max(start, end);
  if (size !== undefined && fromTheEnd) start = Math.max(start, end - size);
  else if (size !== undefined) end = Math.min(end, start + size);
  if (last !== null && last !== undefined) start = Math.max(start, end - last);
  return { nodes: all.slice(start, end), offset: start, length: all.length, kind };
}

/** The place that a cursor stands for; undefined where it is no cursor of this kind of list. */
export function readCursor(
  kind: string,
  cursor: string,
): { index: number; id: string } | undefined {
  const match = /^(\w+):(\d+):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString());
  return match?.[1] === kind ? { index: Number(match[2]), id: match[3] ?? '' } : undefined;
}

function indexOf(
  kind: string,
  all: readonly { id: string }[],
  argument: string,
  cursor: string,
): number {
  const place = readCursor(kind, cursor);
  if (!place) throw badInput(argument, FOREIGN_CURSOR);
  const { index, id } = place;
  if (all[index]?.id === id) return index;
  const moved = all.findIndex((node) => node.id === id);
  if (moved >= 0) return moved;
  // What followed a node that has left stands in its place now.
  return Math.min(argument === 'after' ? index - 1 : index, all.length);
}
