import type { GraphQLResolveInfo } from 'graphql';
import { attempt } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import { track } from '../shared/tasks.ts';
import type { Context } from './context.ts';
import { possibleIn } from '../usage/estimate.ts';
import { argumentsBelow } from './selection.ts';

/** Loads what nested fields will need while the object that they belong to is still being loaded. */

/**
 * Starts loading what will be needed later. Only the end of the operation waits for it, and its errors are reported
 * elsewhere: the loader remembers the result or the error for the field that needs it, and a wrong argument
 * is reported by the field that has it.
 */
export function prefetch(load: (context: Context) => unknown, context: Context): void {
  const loading = attempt(() => load(context));
  if (loading instanceof Promise) track(context.operation.underWay, loading);
}

/**
 * Starts loading what belongs to an entry of a list before the list has come. If that is not likely to be needed,
 * nothing is loaded, since the unit would be wasted: a dry run counts it as what the operation may spend.
 */
export function prefetchIf(
  isLikely: boolean,
  load: (context: Context) => unknown,
  context: Context,
): void {
  if (isLikely) return prefetch(load, context);
  const { made: _made, operation, ...others } = context;
  const { estimate } = operation;
  if (!estimate) return;
  // With loaders of its own: what other fields are sure to need must not count as merely possible.
  prefetch(load, { ...others, operation: { ...operation, estimate: possibleIn(estimate) } });
}

/**
 * Tells a dry run that the number of requests for `Type.field` depends on the length of a list that is not loaded yet.
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

/** `selected`: the arguments of each selection of the field, at least one, not checked yet. */
type Prefetch = (
  context: Context,
  info: GraphQLResolveInfo,
  selected: readonly Record<string, unknown>[],
) => unknown;

const prefetches = new Map<string, Map<string, Prefetch>>();

/**
 * Registers, for a field that is added to another domain's type, what to load as soon as objects of that type are being
 * loaded and the field is selected.
 */
export function registerPrefetch(typeName: string, fieldName: string, load: Prefetch): void {
  const ofType = prefetches.get(typeName) ?? new Map<string, Prefetch>();
  prefetches.set(typeName, ofType.set(fieldName, load));
}

/** Starts loading what is registered for the selected fields of a type that is being loaded. */
export function prefetchFor(typeName: string, context: Context, info: GraphQLResolveInfo): void {
  for (const [fieldName, load] of prefetches.get(typeName) ?? []) {
    const selected = argumentsBelow(info, typeName, fieldName);
    if (selected.length > 0) prefetch((own) => load(own, info, selected), context);
  }
}
