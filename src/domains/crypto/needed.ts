import type { GraphQLResolveInfo } from 'graphql';
import type { OrderBy } from '../../graph/order.ts';
import { lengthFor, type PageArguments } from '../../graph/page.ts';
import { namesBelow } from '../../graph/selection.ts';
import { MAX_ASSETS } from './records.ts';

/** How many of the first assets by rank a page is made of: all of them where they are ordered or counted. */
export function neededFor(
  order: OrderBy<string> | null | undefined,
  page: PageArguments,
  info: GraphQLResolveInfo,
): number {
  const isCounted = namesBelow(info).some((name) => name === 'totalCount');
  return order || isCounted ? MAX_ASSETS : lengthFor(page);
}
