import { MAX_DAYS, MAX_LAST } from '../cache/plan.ts';
import { DEFAULT_PAGE, MAX_PAGE } from '../graph/page.ts';
import { DAY_MS } from '../time.ts';
import {
  type FieldNode,
  type GraphQLField,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

/** How long lists become, as far as arguments tell: numbers, or what depends on variables. */

/** Values of variables as they were sent: unchecked. */
export type Variables = Readonly<Record<string, unknown>>;
export type Size = number | Varying;

interface Varying {
  with(variables: Variables): number;
  /** The largest that it can be, whatever the variables are. */
  most: number;
}

const sizeWith = (size: Size, variables: Variables): number =>
  typeof size === 'number' ? size : size.with(variables);

export const mostOf = (size: Size): number => (typeof size === 'number' ? size : size.most);

type Combine = (a: number, b: number) => number;

/** `combine` gives no less where one of the two is larger: only so is `most` the largest of both. */
function combined(combine: Combine, a: Size, b: Size): Size {
  if (typeof a === 'number' && typeof b === 'number') return combine(a, b);
  return {
    with: (variables) => combine(sizeWith(a, variables), sizeWith(b, variables)),
    most: combine(mostOf(a), mostOf(b)),
  };
}

export const plus = (a: Size, b: Size): Size => combined((x, y) => x + y, a, b);
export const times = (a: Size, b: Size): Size => combined((x, y) => x * y, a, b);
const lesserOf = (a: Size, b: Size): Size => combined(Math.min, a, b);

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

/** How many days are asked for where none are named. */
const USUAL_DAYS = 31;

type Field = GraphQLField<unknown, unknown>;

/** How long the lists in an object that a field gives become: nodes of a page, days of a range. */
export function lengthBelow({ args }: Field, node: FieldNode): Size {
  const names = args.map(({ name }) => name);
  if (names.includes('first')) return withArguments(node, pageLength, MAX_PAGE);
  if (names.includes('start')) return withArguments(node, days, MAX_DAYS);
  return DEFAULT_PAGE;
}

/** How long a list of at most `length` items becomes, whose argument `maxPoints` may bound it further. */
export function lengthWithin(length: Size, node: FieldNode): Size {
  const bound = withArguments(node, ({ maxPoints }) =>
    typeof maxPoints === 'number' ? Math.max(1, maxPoints) : Infinity,
  );
  return lesserOf(bound, length);
}

/** How many objects a field gives that takes their ids. */
export function idsOf(node: FieldNode): Size {
  return withArguments(node, ({ ids }) => (Array.isArray(ids) ? ids.length : 1));
}

function pageLength({ first, last }: Variables): number {
  const size = typeof first === 'number' ? first : last;
  return typeof size === 'number' ? Math.min(MAX_PAGE, Math.max(0, size)) : DEFAULT_PAGE;
}

function days({ start, end, last }: Variables): number {
  if (typeof last === 'number') return Math.min(MAX_LAST, Math.max(1, last));
  if (typeof start !== 'string') return USUAL_DAYS;
  const until = typeof end === 'string' ? Date.parse(end) : Date.now();
  const count = Math.ceil((until - Date.parse(start)) / DAY_MS) + 1;
  return Number.isNaN(count) ? USUAL_DAYS : Math.min(MAX_DAYS, Math.max(1, count));
}

/** A size that depends on the arguments of a field; a number where no variable is among them. */
function withArguments(node: FieldNode, size: (args: Variables) => number, most = Infinity): Size {
  const { arguments: given = [] } = node;
  const read = (variables: Variables) =>
    size(
      Object.fromEntries(given.map(({ name, value }) => [name.value, valueOf(value, variables)])),
    );
  const isVarying = given.some(({ value }) => value.kind === 'Variable');
  return isVarying ? { with: read, most } : read({});
}

function valueOf(node: ValueNode, variables: Variables): unknown {
  return node.kind === 'Variable' ? variables[node.name.value] : valueFromASTUntyped(node);
}
