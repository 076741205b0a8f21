import type { GraphQLResolveInfo } from 'graphql';
import type { Meter } from '../meters.ts';
import type { Context } from './context.ts';
import { argumentsBelow } from './selection.ts';

export { argumentsBelow } from './selection.ts';

/**
 * What a resolver starts, or tells a dry run, because of what is selected below it: requests that do
 * not need each other's answers go out together, and not one after the other.
 */

/**
 * Starts loading what will be needed later. Nobody waits for it here: its loader remembers it, so
 * that whoever comes to need it gets its result or its error.
 */
export function prefetch(load: () => unknown): void {
  try {
    Promise.resolve(load()).catch(() => undefined);
  } catch {
    // A wrong argument is reported by the field that has it.
  }
}

type Prefetch = (context: Context, info: GraphQLResolveInfo) => unknown;

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
  for (const [fieldName, load] of prefetches.get(typeName) ?? [])
    if (argumentsBelow(info, typeName, fieldName).length > 0) prefetch(() => load(context, info));
}

/**
 * Tells a dry run that the number of requests for `Type.field` depends on the length of a list that
 * is not here yet.
 */
export function foreseeUnknownCount(
  meter: Meter,
  { operation }: Context,
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
): void {
  if (operation.estimate && argumentsBelow(info, typeName, fieldName).length > 0)
    operation.estimate.unbounded.add(meter);
}
