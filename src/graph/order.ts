import { z } from 'zod';
import { builder } from './builder.ts';

/** Lists in an order other than their own: the argument `orderBy`. It sorts the loaded list, and requests nothing. */

type Direction = 'ASC' | 'DESC';

export interface OrderBy {
  field: string;
  direction: Direction;
}

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list is ordered.',
  values: {
    ASC: { description: 'The lowest, or earliest, first.' },
    DESC: { description: 'The highest, or latest, first.' },
  } satisfies Record<Direction, object>,
});

/** The name of an order in cursors; empty for the list's own order. */
const nameOf = (order: OrderBy | null | undefined): string =>
  order ? `${order.field}_${order.direction}` : '';

interface Paged {
  orderBy?: OrderBy | null | undefined;
  after?: { order: string } | null | undefined;
  before?: { order: string } | null | undefined;
}

/** Checks the arguments of a list with `orderBy`: a cursor points into one order, and means nothing in another. */
export function checkCursors(args: Paged, context: z.RefinementCtx): void {
  for (const name of ['after', 'before'] as const) {
    const order = args[name]?.order;
    if (order === undefined || order === nameOf(args.orderBy)) continue;
    context.addIssue({
      code: 'custom',
      path: [name],
      message: 'belongs to a list in another order',
    });
  }
}

interface OrderOptions<N> {
  /** The schema description of the fields to order by. */
  description: string;
  /** The sentence of the schema description that says how ties are ordered. */
  ties: string;
  /** The default direction. */
  direction: Direction;
  /** `keyOf` returns what items are ordered by; items with null come last in both directions. */
  fields: Record<string, { description: string; keyOf(item: N): number | null }>;
}

/**
 * Defines the orders of a list called `name`: the input type of its argument `orderBy`, the check of
 * that argument, and the sorting.
 */
export function defineOrder<N>(
  name: string,
  { description, ties, direction, fields }: OrderOptions<N>,
) {
  const Field = builder.enumType(`${name}OrderField`, { description, values: fields });
  return {
    type: builder.inputType(`${name}Order`, {
      description: `${ties} Sorting costs no further unit: it orders the records that the request returns anyway.`,
      fields: (t) => ({
        field: t.field({ type: Field, required: true, description: 'What to order by.' }),
        direction: t.field({
          type: OrderDirection,
          required: true,
          defaultValue: direction,
          description: 'Direction of the order.',
        }),
      }),
    }),
    argument: z
      .object({ field: z.enum(Object.keys(fields)), direction: z.enum(['ASC', 'DESC']) })
      .nullish(),
    /**
     * Returns the list in that order, and the kind of its cursors. Items with equal keys stay in their present order.
     */
    sort(kind: string, all: readonly N[], order: OrderBy | null | undefined) {
      if (!order) return { kind, all };
      const { keyOf } = fields[order.field]!;
      const sign = order.direction === 'ASC' ? 1 : -1;
      const sorted = all
        .map((item) => ({ item, key: keyOf(item) }))
        .toSorted((a, b) =>
          a.key === null || b.key === null
            ? Number(a.key === null) - Number(b.key === null)
            : sign * (a.key - b.key),
        );
      return { kind: `${kind}.${nameOf(order)}`, all: sorted.map(({ item }) => item) };
    },
  };
}
