import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from './context.ts';
import { argumentsBelow, prefetch } from './selection.ts';

/** What fields that are added to another domain's type load while objects of that type are loading. */

/** `selected` are the arguments of each selection of the field: one at least, not checked yet. */
type Prefetch = (
  context: Context,
  info: GraphQLResolveInfo,
  selected: readonly Record<string, unknown>[],
) => unknown;

const prefetches = new Map<string, Map<string, Prefetch>>();

/**
 * For a field that is added to another domain's type: what to load as soon as objects of that type
 * are being loaded and the field is selected.
 */
export function registerPrefetch(typeName: string, fieldName: string, load: Prefetch): void {
  const ofType = prefetches.get(typeName) ?? new Map<string, Prefetch>();
  prefetches.set(typeName, ofType.set(fieldName, load));
}

/** Starts loading what is registered for the selected fields of a type that is being loaded. */
export function prefetchFor(typeName: string, context: Context, info: GraphQLResolveInfo): void {
  for (const [fieldName, load] of prefetches.get(typeName) ?? []) {
    const selected = argumentsBelow(info, typeName, fieldName);
    if (selected.length > 0) prefetch(() => load(context, info, selected));
  }
}
