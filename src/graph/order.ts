import type { EnumRef } from '@pothos/core';
import { z } from 'zod';
import { builder, type SchemaTypes } from './builder.ts';

/** Lists in another order than their own: the argument `orderBy`. It sorts what is here, and asks for nothing. */

type Direction = 'ASC' | 'DESC';

export interface OrderBy<Field extends string> {
  field: Field;
  direction: Direction;
}

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list is ordered.',
  values: {
    ASC: { description: 'The lowest, or earliest, first.' },
    DESC: { description: 'The highest, or latest, first.' },
  } satisfies Record<Direction, object>,
});

/** The input type of `orderBy` of a list, `direction` being what it is by default. */
export function orderInput<Field extends string>(
  name: string,
  fields: EnumRef<SchemaTypes, Field>,
  { description, direction }: { description: string; direction: Direction },
) {
  return builder.inputType(name, {
    description: `${description} Sorts what the request brings anyway, for no further unit.`,
    fields: (t) => ({
      field: t.field({ type: fields, required: true, description: 'What to order by.' }),
      direction: t.field({
        type: OrderDirection,
        required: true,
        defaultValue: direction,
        description: 'Which way.',
      }),
    }),
  });
}

/** Checks the argument `orderBy` of a list that can be ordered by `fields`. */
export function orderBy<Field extends string>(fields: readonly [Field, ...Field[]]) {
  return z.object({ field: z.enum(fields), direction: z.enum(['ASC', 'DESC']) }).nullish();
}

/** Names an order in cursors; the list's own has none. */
const nameOf = (order: OrderBy<string> | null | undefined): string =>
  order ? `${order.field}_${order.direction}` : '';

interface Paged {
  orderBy?: OrderBy<string> | null | undefined;
  after?: { order: string } | null | undefined;
  before?: { order: string } | null | undefined;
}

/** For the arguments of a list with `orderBy`: a cursor points into one order, and says nothing in another. */
export function checkCursors(args: Paged, context: z.RefinementCtx): void {
  for (const name of ['after', 'before'] as const) {
    const order = args[name]?.order;
    if (order === undefined || order === nameOf(args.orderBy)) continue;
    context.addIssue({ code: 'custom', path: [name], message: 'is a cursor of another order' });
  }
}

/** What items are ordered by; null is last in both directions. */
export type Keys<N, Field extends string> = Record<Field, (item: N) => number | null>;

/** A list in an order, and the kind of its cursors. Of equal items those stay first that are first now. */
export function inOrder<N, Field extends string>(
  kind: string,
  all: readonly N[],
  order: OrderBy<Field> | null | undefined,
  keys: Keys<N, Field>,
): { kind: string; all: readonly N[] } {
  if (!order) return { kind, all };
  const keyOf = keys[order.field];
  const sign = order.direction === 'ASC' ? 1 : -1;
  const sorted = all
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted((a, b) =>
      a.key === null || b.key === null
        ? Number(a.key === null) - Number(b.key === null)
        : sign * (a.key - b.key),
    );
  return { kind: `${kind}.${nameOf(order)}`, all: sorted.map(({ item }) => item) };
}
