import type { GraphQLResolveInfo } from 'graphql';
import type { OrderBy } from '../../graph/order.ts';
import { lengthFor, type PageArguments } from '../../graph/page.ts';
import { namesBelow } from '../../graph/selection.ts';
import { MAX_ASSETS } from './records.ts';

/**
 * Returns how many of the first assets by rank a page needs: all of them if they are ordered or counted, otherwise as
 * many as it reaches. `hasNextPage` takes one more, since the upstream does not state how many assets there are.
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
