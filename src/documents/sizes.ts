import { MAX_DAYS, MAX_LAST } from '../cache/spans.ts';
import {
  type FieldNode,
  type GraphQLField,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

/** How long lists become, as far as arguments tell: numbers, or what to do with variables to get them. */

/** Values of variables as they were sent: unchecked. */
export type Variables = Readonly<Record<string, unknown>>;
export type Size = number | ((variables: Variables) => number);

export function sizeWith(size: Size, variables: Variables): number {
  return typeof size === 'number' ? size : size(variables);
}

export function plus(a: Size, b: Size): Size {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  return (variables) => sizeWith(a, variables) + sizeWith(b, variables);
}

export function times(a: Size, b: Size): Size {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  return (variables) => sizeWith(a, variables) * sizeWith(b, variables);
}

/** The default values of an operation's variables. */
export function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  const given = variableDefinitions.filter(({ defaultValue }) => defaultValue);
  return Object.fromEntries(
    given.map(({ variable, defaultValue }) => [
      variable.name.value,
      valueFromASTUntyped(defaultValue!),
    ]),
  );
}

/** The length of a page that is asked for without a size, and the longest there is. */
const PAGE_LENGTH = 100;
const MAX_PAGE_LENGTH = 500;
/** The same for days. */
const USUAL_DAYS = 31;
const DAY_MS = 86_400_000;

type Field = GraphQLField<unknown, unknown>;

/** How long the lists in an object that a field gives become: nodes of a page, days of a range. */
export function lengthBelow({ args }: Field, node: FieldNode): Size {
  const names = args.map(({ name }) => name);
  if (names.includes('first')) return withArguments(node, pageLength);
  if (names.includes('start')) return withArguments(node, days);
  return PAGE_LENGTH;
}

/** How long a list is at most that may have `length` items, where an argument of its own bounds it. */
export function lengthWithin(length: Size, node: FieldNode): Size {
  const most = withArguments(node, ({ maxPoints }) =>
    typeof maxPoints === 'number' ? Math.max(1, maxPoints) : Infinity,
  );
  if (typeof most === 'number' && typeof length === 'number') return Math.min(most, length);
  return (variables) => Math.min(sizeWith(most, variables), sizeWith(length, variables));
}

/** How many objects a field gives that takes their ids. */
export function idsOf(node: FieldNode): Size {
  return withArguments(node, ({ ids }) => (Array.isArray(ids) ? ids.length : 1));
}

function pageLength({ first, last }: Variables): number {
  const size = typeof first === 'number' ? first : last;
  return typeof size === 'number' ? Math.min(MAX_PAGE_LENGTH, Math.max(0, size)) : PAGE_LENGTH;
}

function days({ start, end, last }: Variables): number {
  if (typeof last === 'number') return Math.min(MAX_LAST, Math.max(1, last));
  if (typeof start !== 'string') return USUAL_DAYS;
  const until = typeof end === 'string' ? Date.parse(end) : Date.now();
  const count = Math.ceil((until - Date.parse(start)) / DAY_MS) + 1;
  return Number.isNaN(count) ? USUAL_DAYS : Math.min(MAX_DAYS, Math.max(1, count));
}

/** A size that depends on the arguments of a field; a number where no variable is among them. */
function withArguments(node: FieldNode, size: (args: Variables) => number): Size {
  const { arguments: given = [] } = node;
  const read = (variables: Variables) =>
    size(
      Object.fromEntries(given.map(({ name, value }) => [name.value, valueOf(value, variables)])),
    );
  return given.some(({ value }) => value.kind === 'Variable') ? read : read({});
}

function valueOf(node: ValueNode, variables: Variables): unknown {
  return node.kind === 'Variable' ? variables[node.name.value] : valueFromASTUntyped(node);
}
