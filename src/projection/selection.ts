import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** What is known of a document while it is looked through. */
export interface Reading {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** How many more fields are looked at: fragments that spread others twice double with each. */
  left: number;
}

/** Field nodes by the name that their values have in the response, in its order. */
export type Selected = ReadonlyMap<string, readonly FieldNode[]>;

/**
 * The fields that selection sets take from an object of a type, fragments opened; undefined where a
 * directive on a fragment decides, since that depends on variables, or where there are too many.
 */
export function fieldsOf(
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  reading: Reading,
): Selected | undefined {
  const selected = new Map<string, FieldNode[]>();
  const opened = new Set<string>();

  function open(set: SelectionSetNode): boolean {
    return set.selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return add(selection);
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return !applies(type, selection.typeCondition?.name.value) || open(selection.selectionSet);
      const { value: name } = selection.name;
      const fragment = reading.fragments.get(name);
      if (!fragment || fragment.directives?.length) return false;
      if (opened.has(name) || !applies(type, fragment.typeCondition.name.value)) return true;
      opened.add(name);
      return open(fragment.selectionSet);
    });
  }

  function add(field: FieldNode): boolean {
    reading.left -= 1;
    const key = field.alias?.value ?? field.name.value;
    const nodes = selected.get(key);
    if (nodes) nodes.push(field);
    else selected.set(key, [field]);
    return reading.left >= 0;
  }

  return selectionSets.every(open) ? selected : undefined;
}

/** A fragment is on the type itself or on an interface of it: the document has been validated. */
function applies(type: GraphQLObjectType, condition: string | undefined): boolean {
  return (
    condition === undefined ||
    condition === type.name ||
    type.getInterfaces().some(({ name }) => name === condition)
  );
}

/** The selection sets below all nodes of one field. */
export function setsBelow(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}
