import {
  type FieldNode,
  type FragmentSpreadNode,
  getArgumentValues,
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type InlineFragmentNode,
  isObjectType,
  Kind,
  type SelectionNode,
  type VariableValues,
} from 'graphql';
import { onceForSelection } from './once-for-selection.ts';

/**
 * What an operation selects below the field that is being resolved, and with which arguments. This tells what will be
 * asked for next, before the object that those fields belong to has been fetched.
 */

/**
 * The arguments of every selection of `Type.field` anywhere below. Wrong ones are left out: their fields report them.
 */
export function argumentsBelow(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
): Record<string, unknown>[] {
  return fieldsNamed(fieldName, info).flatMap((node) => {
    try {
      return [argumentsOf(node, info, typeName, fieldName)];
    } catch {
      return [];
    }
  });
}

/** Calls `check` with the arguments of every selection of `Type.field` anywhere below. Throws if some are wrong. */
export function checkBelow(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
  check: (args: Record<string, unknown>) => void,
): void {
  for (const node of fieldsNamed(fieldName, info))
    check(argumentsOf(node, info, typeName, fieldName));
}

const fieldsNamed = (fieldName: string, info: GraphQLResolveInfo) =>
  fieldsBelow(info).filter(({ name }) => name.value === fieldName);

/** The names of all fields below; with `ofType`, only of the fields of the object that is being loaded. */
export function namesBelow(info: GraphQLResolveInfo, ofType?: string): IteratorObject<string> {
  return fieldsBelow(info, ofType)
    .values()
    .map(({ name }) => name.value);
}

/** Throws if a field must not be selected like that; `below` describes what is selected of it. */
type Check = (args: unknown, below: GraphQLResolveInfo) => unknown;

export interface CheckedArguments {
  /** Those that `check` accepts. */
  valid: Record<string, unknown>[];
  /** Whether nothing selected of the object can be served, so that it need not be asked for. */
  isUseless: boolean;
}

/**
 * The arguments of every selection of `Type.field` on the object that is being loaded. The same selection is checked
 * once for each operation, however many objects it applies to.
 */
export function checkedArguments(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
  check: Check,
): CheckedArguments {
  return onceForSelection(info, `${typeName}.${fieldName}`, () =>
    checkAll(info, typeName, fieldName, check),
  );
}

function checkAll(
  info: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
  check: Check,
): CheckedArguments {
  const valid: Record<string, unknown>[] = [];
  let invalid = 0;
  let others = 0;
  const below = fieldsBelow(info, typeName);
  // Selections with the same name in the response are one field, which is refused as a whole.
  for (const nodes of Map.groupBy(below, ({ alias, name }) => (alias ?? name).value).values()) {
    const node = nodes[0]!;
    const { value: name } = node.name;
    if (name !== fieldName) {
      if (name !== '__typename') others += 1;
      continue;
    }
    try {
      const args = argumentsOf(node, info, typeName, fieldName);
      check(args, { ...info, fieldNodes: nodes });
      valid.push(args);
    } catch {
      // The field itself reports why.
      invalid += 1;
    }
  }
  return { valid, isUseless: invalid > 0 && others + valid.length === 0 };
}

function argumentsOf(
  node: FieldNode,
  { schema, variableValues }: GraphQLResolveInfo,
  typeName: string,
  fieldName: string,
): Record<string, unknown> {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  return field ? getArgumentValues(field, node, variableValues) : {};
}

/** All fields below; with `ofType`, only those of the objects that are being loaded, which are of that type. */
function fieldsBelow(info: GraphQLResolveInfo, ofType?: string): readonly FieldNode[] {
  return onceForSelection(info, ofType ?? '', () => {
    const fields: FieldNode[] = [];
    collectFields(info.fieldNodes, { info, ofType, fields, walked: new Set() });
    return fields;
  });
}

interface Walk {
  info: GraphQLResolveInfo;
  ofType: string | undefined;
  fields: FieldNode[];
  /** Each fragment is walked once: if every fragment spread another one twice, the work would double at each level. */
  walked: Set<string>;
}

function collectFields(nodes: readonly SelectionNode[], walk: Walk): void {
  const { info, ofType, fields, walked } = walk;
  for (const selection of nodes.flatMap((node) => selectionsOf(node, info))) {
    if (!isIncluded(selection, info.variableValues)) continue;
    if (selection.kind === Kind.FIELD) {
      fields.push(selection);
      // What is below a field belongs to another object.
      if (!ofType) collectFields([selection], walk);
    } else if (!ofType || !isOfAnother(selection, ofType, info)) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (walked.has(selection.name.value)) continue;
        walked.add(selection.name.value);
      }
      collectFields([selection], walk);
    }
  }
}

/** Whether a fragment is on another object type. */
function isOfAnother(
  node: FragmentSpreadNode | InlineFragmentNode,
  typeName: string,
  { fragments, schema }: GraphQLResolveInfo,
): boolean {
  const { typeCondition } = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value]! : node;
  const name = typeCondition?.name.value;
  return name !== undefined && name !== typeName && isObjectType(schema.getType(name));
}

function selectionsOf(node: SelectionNode, info: GraphQLResolveInfo): readonly SelectionNode[] {
  if (node.kind !== Kind.FRAGMENT_SPREAD) return node.selectionSet?.selections ?? [];
  return info.fragments[node.name.value]?.selectionSet.selections ?? [];
}

/** Whether `@skip` and `@include` let a selection pass. `variables` may be left out if the selection mentions none. */
export function isIncluded(node: SelectionNode, variables?: VariableValues): boolean {
  if (!node.directives?.length) return true;
  // What is skipped is left out whatever `@include` says, even if that is wrong.
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}
