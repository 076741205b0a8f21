import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Maximum depth to which brackets may nest in a document: whatever walks over documents does so by recursion. */
export const MAX_DEPTH = 200;

/** Maximum number of fields that may be selected, each counted as often as fragments repeat it. */
export const MAX_FIELDS = 10_000;

/** What is needed to read the selections of one document, without running it. */
export interface SelectionScope {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /**
   * How many more field nodes may be read; below 0 there were too many. Without a limit a short document
   * could take forever: in a chain of fragments that each spread the next one twice, the work doubles each time.
   */
  left: number;
}

/** The fragments of a document by their names. */
export function fragmentsOf({ definitions }: DocumentNode): SelectionScope['fragments'] {
  const named = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(named.map((fragment) => [fragment.name.value, fragment]));
}

/** The operations of a document. */
export function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
}

/** One field of the response. */
export interface SelectedField {
  /** The type whose field it is. */
  type: GraphQLCompositeType;
  /** Its alias, or else its name. */
  responseName: string;
  /** All places that ask for it: their selection sets are merged. */
  nodes: [FieldNode, ...FieldNode[]];
}

interface SelectedFields {
  /** In the order of the response. */
  fields: readonly SelectedField[];
  /** Whether some of them depend on a directive on a fragment, and so on variables. */
  isConditional: boolean;
}

/**
 * Returns the fields that selection sets ask of an object of a type, with all fragments expanded. The document
 * must be valid. Reads only the document: the compiler and the limit on an operation's size use it.
 */
export function selectFields(
  type: GraphQLCompositeType,
  selectionSets: readonly SelectionSetNode[],
  scope: SelectionScope,
): SelectedFields {
  const fields = new Map<string, SelectedField>();
  const opened = new Set<string>();
  let isConditional = false;

  function add(parent: GraphQLCompositeType, node: FieldNode): void {
    scope.left -= 1;
    const responseName = (node.alias ?? node.name).value;
    const key = `${parent.name} ${responseName}`;
    const field = fields.get(key);
    if (field) field.nodes.push(node);
    else fields.set(key, { type: parent, responseName, nodes: [node] });
  }

  function open(parent: GraphQLCompositeType, set: SelectionSetNode): void {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        add(parent, node);
        continue;
      }
      // Expanding a fragment takes time, too, even if it has been expanded before.
      scope.left -= 1;
      const isSpread = node.kind === Kind.FRAGMENT_SPREAD;
      const fragment = isSpread ? scope.fragments.get(node.name.value) : node;
      if (!fragment) continue;
      if (node.directives?.length || fragment.directives?.length) isConditional = true;
      const inside = narrow(parent, fragment.typeCondition?.name.value, scope.schema);
      if (!inside || (isSpread && !isFirst(`${inside.name} ${node.name.value}`))) continue;
      open(inside, fragment.selectionSet);
    }
  }

  /** Whether this is the first call with this spread. */
  function isFirst(spread: string): boolean {
    const isNew = !opened.has(spread);
    opened.add(spread);
    return isNew;
  }

  for (const set of selectionSets) open(type, set);
  return { fields: [...fields.values()], isConditional };
}

/** Returns the type of an object of type `parent` inside a fragment; undefined if the fragment never applies to it. */
function narrow(
  parent: GraphQLCompositeType,
  condition: string | undefined,
  schema: GraphQLSchema,
): GraphQLCompositeType | undefined {
  if (condition === undefined || condition === parent.name) return parent;
  const type = schema.getType(condition);
  if (!isObjectType(parent)) return isCompositeType(type) ? type : undefined;
  return isAbstractType(type) && schema.isSubType(type, parent) ? parent : undefined;
}

/** The selection sets below all nodes of one field. */
export function setsBelow(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}
