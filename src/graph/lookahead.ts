import {
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { Meter } from '../usage/operation.ts';
import type { Context } from './context.ts';

/**
 * The arguments of every selection of `Type.field` anywhere below the field being resolved. With
 * them a resolver starts at once what would otherwise only start once its own data are here.
 */
export function argumentsBelow(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
): Record<string, unknown>[] {
  const type = info.schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  if (!field) return [];
  return [...fieldsBelow(info.fieldNodes, info)]
    .filter((node) => node.name.value === fieldName)
    .map((node) => getArgumentValues(field, node, info.variableValues));
}

/**
 * Starts what will be needed later. Nobody waits for it here: its loader remembers it, so that
 * whoever comes to need it meets its result or its error.
 */
export function startEarly(load: () => unknown): void {
  try {
    Promise.resolve(load()).catch(() => undefined);
  } catch {
    // A wrong argument is reported where it stands.
  }
}

/**
 * Whether nothing is selected but `fieldName`, with arguments that are all wrong: then the object it
 * hangs on need not be asked for. `check` throws for wrong arguments.
 */
export function isAllWrong(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
  check: (args: unknown) => unknown,
): boolean {
  const selected = [...fieldsBelow(info.fieldNodes, info, false)];
  const others = selected.map(({ name }) => name.value).filter((name) => name !== fieldName);
  if (others.some((name) => name !== '__typename')) return false;
  const asked = argumentsBelow(info, typeName, fieldName);
  return asked.length > 0 && asked.every((args) => fails(() => check(args)));
}

function fails(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}

type EarlyStart = (context: Context, info: GraphQLResolveInfo) => unknown;

const earlyStarts = new Map<string, Map<string, EarlyStart>>();

/** For fields that one domain adds to another's type: what to start while that type is loading. */
export function registerEarlyStart(typeName: string, fieldName: string, start: EarlyStart): void {
  const ofType = earlyStarts.get(typeName) ?? new Map<string, EarlyStart>();
  earlyStarts.set(typeName, ofType.set(fieldName, start));
}

/** Starts what is registered for the selected fields of a type that is loading. */
export function startRegistered(
  typeName: string,
  context: Context,
  info: GraphQLResolveInfo,
): void {
  for (const [fieldName, start] of earlyStarts.get(typeName) ?? [])
    if (argumentsBelow(info, typeName, fieldName).length > 0)
      startEarly(() => start(context, info));
}

/** For a dry run: how often `Type.field` will be asked for depends on a list that is not here. */
export function foreseeMany(
  meter: Meter,
  { operation }: Context,
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
): void {
  if (operation.estimate && argumentsBelow(info, typeName, fieldName).length > 0)
    operation.estimate.open.add(meter);
}

/** Each fragment is walked once: fragments that spread others twice would double the way each time. */
function* fieldsBelow(
  nodes: readonly (FieldNode | SelectionNode)[],
  info: GraphQLResolveInfo,
  deep = true,
  walked = new Set<string>(),
): Generator<FieldNode> {
  for (const selection of nodes.flatMap((node) => selectionsOf(node, info))) {
    if (!isIncluded(selection, info)) continue;
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      if (walked.has(selection.name.value)) continue;
      walked.add(selection.name.value);
    }
    if (selection.kind === Kind.FIELD) yield selection;
    if (deep || selection.kind !== Kind.FIELD) yield* fieldsBelow([selection], info, deep, walked);
  }
}

function selectionsOf(node: SelectionNode, info: GraphQLResolveInfo): readonly SelectionNode[] {
  if (node.kind !== Kind.FRAGMENT_SPREAD) return node.selectionSet?.selections ?? [];
  return info.fragments[node.name.value]?.selectionSet.selections ?? [];
}

function isIncluded(node: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return skip?.['if'] !== true && include?.['if'] !== false;
}
