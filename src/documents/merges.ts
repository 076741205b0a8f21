import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { operationTooLarge } from '../graph/resources.ts';
import { tooLarge } from './limits.ts';
import { fragmentsOf, MAX_DEPTH, MAX_FIELDS, operationsOf, setsBelow } from './selections.ts';

/**
 * Maximum number of comparisons. When a document is checked, fields with the same response name, and fragments
 * of the same object, are compared with each other, each with each: a thousand of them would take a second.
 */
const MAX_PAIRS = 100_000;

/** Throws OPERATION_TOO_LARGE for a document that repeats fields too often, or has too many to look at all of them. */
export function checkMerges(document: DocumentNode): void {
  const fragments = fragmentsOf(document);
  const unused = new Map(fragments);
  const left = { pairs: MAX_PAIRS, fields: MAX_FIELDS };

  function compare(sets: readonly SelectionSetNode[], depth = 0): void {
    // A fragment that leads back to itself is refused by validation.
    if (depth > MAX_DEPTH) return;
    for (const nodes of fieldsOf(sets).values()) {
      left.pairs -= pairsOf(nodes.length);
      left.fields -= nodes.length;
      if (left.pairs < 0) throw tooManyPairs();
      if (left.fields < 0) return;
      compare(setsBelow(nodes), depth + 1);
    }
  }

  function fieldsOf(sets: readonly SelectionSetNode[]): Map<string, FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const opened = new Set<string>();
    const open = (set: SelectionSetNode | undefined): void => {
      for (const node of set?.selections ?? []) {
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value;
          const others = fields.get(name);
          if (others) others.push(node);
          else fields.set(name, [node]);
          continue;
        }
        // Fields are counted when they are compared; looking at fragments takes time, too.
        left.fields -= 1;
        if (node.kind === Kind.INLINE_FRAGMENT) open(node.selectionSet);
        else if (!opened.has(node.name.value)) {
          opened.add(node.name.value);
          unused.delete(node.name.value);
          open(fragments.get(node.name.value)?.selectionSet);
        }
      }
    };
    sets.forEach(open);
    left.pairs -= pairsOf(opened.size);
    return fields;
  }

  function check(definition: OperationDefinitionNode | FragmentDefinitionNode): void {
    compare([definition.selectionSet]);
    if (left.fields < 0) throw tooLarge(definition);
  }

  operationsOf(document).forEach(check);
  // Validation compares their fields, too, before it refuses them.
  for (const fragment of unused.values()) check(fragment);
}

const pairsOf = (count: number) => (count * (count - 1)) / 2;

const tooManyPairs = () =>
  operationTooLarge(
    'The document repeats the same fields, or spreads fragments, too often. Select each of them once.',
  );
