import type { GraphQLResolveInfo } from 'graphql';
import type { OrderBy } from '../../graph/order.ts';
import { lengthFor, type PageArguments } from '../../graph/page.ts';
import { namesBelow } from '../../graph/selection.ts';
import { MAX_ASSETS } from './records.ts';

/**
 * How many of the first assets by rank a page is made of: all of them where they are ordered or counted, and one more
 * where it is asked whether another one follows: of how many there are the upstream tells nothing.
 */
export function neededFor(
  order: OrderBy | null | undefined,
  page: PageArguments,
  info: GraphQLResolveInfo,
): number {
  const names = new Set(namesBelow(info));
  if (order || names.has('totalCount')) return MAX_ASSETS;
  return Math.max(1, lengthFor(page) + Number(names.has('hasNextPage')));
}
