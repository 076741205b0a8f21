import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isCompositeType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** What a selection is opened with. */
export interface Opening {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** What is selected from an object of a type. */
export interface Selection {
  type: GraphQLCompositeType;
  set: SelectionSetNode;
}

/** Field nodes that are one field in the response, and the type they select from. */
interface Field {
  type: GraphQLCompositeType;
  nodes: FieldNode[];
}

/** The fields of selections, fragments opened: what is merged in the response is one. */
export function fieldsOf(
  selections: readonly Selection[],
  { schema, fragments }: Opening,
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  const opened = new Set<string>();

  function add(type: GraphQLCompositeType, node: FieldNode): void {
    const key = `${type.name} ${(node.alias ?? node.name).value}`;
    const known = fields.get(key);
    if (known) known.nodes.push(node);
    else fields.set(key, { type, nodes: [node] });
  }

  function open({ type, set }: Selection): void {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        add(type, node);
        continue;
      }
      const name = node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : undefined;
      const fragment = name === undefined ? (node as InlineFragmentNode) : fragments.get(name);
      if (!fragment || (name !== undefined && opened.has(name))) continue;
      if (name !== undefined) opened.add(name);
      const condition = schema.getType(fragment.typeCondition?.name.value ?? '');
      open({ type: isCompositeType(condition) ? condition : type, set: fragment.selectionSet });
    }
  }

  selections.forEach(open);
  return fields;
}
