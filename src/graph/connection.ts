import type { ObjectRef } from '@pothos/core';
import type { Cached } from '../cache/cached.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { cursorOf, DEFAULT_PAGE, MAX_PAGE, type Page, type PageArguments, pageOf } from './page.ts';
import { Provenance } from './provenance.ts';

/**
 * Relay connections: their types, and how a page is made from a cached list. Every field is read from the connection
 * alone, so that a whole page can be serialized at once.
 */

export interface Connection<N> extends Page<N> {
  totalCount: number;
  provenance: Cached<unknown>;
}

interface Edge<N> {
  cursor: string;
  node: N;
}

interface PageInfoShape {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  startCursor: string | null;
  endCursor: string | null;
}

/** A page of `all`, a list that was selected from the cached value `provenance`. */
export function connectionOf<N extends { id: string }>(
  kind: string,
  all: readonly N[],
  provenance: Cached<unknown>,
  args: PageArguments,
): Connection<N> {
  return { ...pageOf(kind, all, args), totalCount: all.length, provenance };
}

const PageInfo = builder.objectRef<PageInfoShape>('PageInfo').implement({
  description: 'Where a page lies in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether nodes follow this page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether nodes precede this page.',
    }),
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description: "The first node's cursor; null on an empty page.",
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: "The last node's cursor; null on an empty page.",
    }),
  }),
});

function edgesOf<N extends { id: string }>({ nodes, offset, kind }: Page<N>): Edge<N>[] {
  return nodes.map((node, i) => ({ node, cursor: cursorOf(kind, offset + i, node.id) }));
}

function pageInfoOf<N extends { id: string }>(page: Page<N>): PageInfoShape {
  const { nodes, offset, kind, length } = page;
  const end = offset + nodes.length;
  const [first, last] = [nodes[0], nodes.at(-1)];
  return {
    hasNextPage: end < length,
    hasPreviousPage: offset > 0,
    startCursor: first ? cursorOf(kind, offset, first.id) : null,
    endCursor: last ? cursorOf(kind, end - 1, last.id) : null,
  };
}

/** The paging arguments of every connection field, which follow its own arguments. */
export const pageArguments = builder.args((t) => ({
  first: t.int({
    description: `Only the first nodes, at most this many: 0 to ${MAX_PAGE}, default ${DEFAULT_PAGE}.`,
  }),
  after: t.string({ description: 'Only nodes after this cursor.' }),
  last: t.int({ description: `Only the last nodes, at most this many: 0 to ${MAX_PAGE}.` }),
  before: t.string({ description: 'Only nodes before this cursor.' }),
}));

/**
 * Registers `<node>Connection` and `<node>Edge`. `C` is the shape that the connection's additional fields need; add
 * them with `builder.objectFields`. `totalCountNote`: what else clients should know of the total, in a sentence.
 */
export function connectionType<N extends { id: string }, C extends Connection<N> = Connection<N>>(
  node: ObjectRef<SchemaTypes, N>,
  totalCountNote = '',
) {
  const { name } = node;
  const EdgeType = builder.objectRef<Edge<N>>(`${name}Edge`).implement({
    description: `An entry in a list of ${name}.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Cursor of the node, for paging.' }),
      // The cast is needed only because Pothos cannot tell that a generic shape is not a list.
      node: t.field({
        type: node,
        description: 'The node itself.',
        resolve: (edge) => edge.node as never,
      }),
    }),
  });
  return builder.objectRef<C>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The nodes of this page, in the order of the list.',
        resolve: ({ nodes }) => nodes,
      }),
      edges: t.field({
        type: [EdgeType],
        description: 'The nodes of this page with their cursors.',
        resolve: edgesOf,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where this page lies in the list.',
        resolve: pageInfoOf,
      }),
      totalCount: t.int({
        description:
          `Number of nodes that match the filter, on all pages. ${totalCountNote}`.trimEnd(),
        resolve: ({ totalCount }) => totalCount,
      }),
      provenance: t.field({
        type: Provenance,
        description: 'Where the list comes from and how old it is.',
        resolve: ({ provenance }) => provenance,
      }),
    }),
  });
}
