import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  visit,
} from 'graphql/language';
import type { Draft } from './document.ts';

/** Reads operations out of the text in the editor. */

export interface TopField {
  /** As the response names it. */
  name: string;
  /** Where it begins in the text, counted from 1. */
  line: number;
  /** The operation with nothing but this field. */
  query: string;
}

export interface Operation {
  name: string | undefined;
  kind: 'query' | 'mutation' | 'subscription';
  /** A text with this operation alone. */
  query: string;
  /** The fields of the outermost selection; fields in fragments are not listed. */
  fields: TopField[];
  /** Whether it has other selections, i.e. fragments. */
  hasMore: boolean;
}

/** Returns undefined if the text cannot be parsed, as while it is being written. */
export function readDocument(query: string): Operation[] | undefined {
  try {
    const document = parse(query, { allowEmptySelectionSets: false });
    const operations = document.definitions.filter(
      (each) => each.kind === Kind.OPERATION_DEFINITION,
    );
    return operations.map((operation) => ({
      name: operation.name?.value,
      kind: operation.operation,
      query: operations.length === 1 ? query : printed(alone(document, operation)),
      fields: operation.selectionSet.selections
        .filter((each) => each.kind === Kind.FIELD)
        .map((field) => topField(document, operation, field)),
      hasMore: operation.selectionSet.selections.some((each) => each.kind !== Kind.FIELD),
    }));
  } catch {
    return undefined;
  }
}

function topField(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  field: FieldNode,
): TopField {
  return {
    name: field.alias?.value ?? field.name.value,
    line: field.loc?.startToken.line ?? 1,
    query: printed(alone(document, operation, [field])),
  };
}

const printed = (definitions: readonly DefinitionNode[]) =>
  print({ kind: Kind.DOCUMENT, definitions });

/** Makes a valid document, without fragments and variables that only other fields or operations use. */
function alone(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  selections: readonly SelectionNode[] = operation.selectionSet.selections,
): DefinitionNode[] {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const used = { fragments: new Set<string>(), variables: new Set<string>() };
  const note = (
    node: readonly SelectionNode[] | DefinitionNode | OperationDefinitionNode['directives'],
  ) =>
    void visit({ kind: Kind.DOCUMENT, definitions: [node].flat() } as unknown as DocumentNode, {
      Variable: ({ name }) => void used.variables.add(name.value),
      FragmentSpread({ name: { value } }) {
        const fragment = fragments.get(value);
        if (!fragment || used.fragments.has(value)) return;
        used.fragments.add(value);
        note(fragment);
      },
    });
  note(selections);
  note(operation.directives);
  const only: OperationDefinitionNode = {
    ...operation,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
    variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
      used.variables.has(variable.name.value),
    ),
  };
  return [only, ...[...used.fragments].flatMap((name) => fragments.get(name) ?? [])];
}

/**
 * Returns the operation of a draft that would run: the one with the draft's operation name, or else the first.
 * Undefined if the text has none, or cannot be parsed.
 */
export function operationIn({
  query,
  operationName,
}: Pick<Draft, 'query' | 'operationName'>): Operation | undefined {
  const operations = readDocument(query) ?? [];
  return operations.find(({ name }) => name === operationName) ?? operations[0];
}
