import { MAX_DAYS, MAX_LAST } from '../cache/plan.ts';
import { DEFAULT_PAGE, MAX_PAGE } from '../graph/page.ts';
import { DAY_MS } from '../time.ts';
import {
  type FieldNode,
  type GraphQLField,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql';

/** How long lists become, as far as arguments tell: numbers, or sizes that depend on variables. */

/** Values of variables as they were sent: unchecked. */
export type Variables = Readonly<Record<string, unknown>>;
export type Size = number | Varying;

interface Varying {
  with(variables: Variables): number;
  /** The largest that the size can be, whatever the variables are. */
  max: number;
}

const sizeWith = (size: Size, variables: Variables): number =>
  typeof size === 'number' ? size : size.with(variables);

export const maxOf = (size: Size): number => (typeof size === 'number' ? size : size.max);

type Combine = (a: number, b: number) => number;

/** `combine` must not return less when an argument grows: otherwise `max` would not be the largest result. */
function combined(combine: Combine, a: Size, b: Size): Size {
  if (typeof a === 'number' && typeof b === 'number') return combine(a, b);
  return {
    with: (variables) => combine(sizeWith(a, variables), sizeWith(b, variables)),
    max: combine(maxOf(a), maxOf(b)),
  };
}

export const plus = (a: Size, b: Size): Size => combined((x, y) => x + y, a, b);
export const times = (a: Size, b: Size): Size => combined((x, y) => x * y, a, b);
const minOf = (a: Size, b: Size): Size => combined(Math.min, a, b);

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

/** How many days are assumed if the arguments do not tell. */
const ASSUMED_DAYS = 31;

type Field = GraphQLField<unknown, unknown>;

/** Returns how long the lists become in an object that a field gives: nodes of a page, days of a range. */
export function lengthBelow({ args }: Field, node: FieldNode): Size {
  const names = args.map(({ name }) => name);
  if (names.includes('first')) return withArguments(node, pageLength, MAX_PAGE);
  if (names.includes('start')) return withArguments(node, days, MAX_DAYS);
  return DEFAULT_PAGE;
}

/** Returns how long a list of at most `length` items becomes if its argument `maxPoints` may limit it further. */
export function lengthWithin(length: Size, node: FieldNode): Size {
  const bound = withArguments(node, ({ maxPoints }) =>
    typeof maxPoints === 'number' ? Math.max(1, maxPoints) : Infinity,
  );
  return minOf(bound, length);
}

/** Returns how many objects a field gives that takes their ids as an argument. */
export function idsOf(node: FieldNode): Size {
  return withArguments(node, ({ ids }) => (Array.isArray(ids) ? ids.length : 1));
}

function pageLength({ first, last }: Variables): number {
  const size = typeof first === 'number' ? first : last;
  return typeof size === 'number' ? Math.min(MAX_PAGE, Math.max(0, size)) : DEFAULT_PAGE;
}

function days({ start, end, last }: Variables): number {
  if (typeof last === 'number') return Math.min(MAX_LAST, Math.max(1, last));
  if (typeof start !== 'string') return ASSUMED_DAYS;
  const until = typeof end === 'string' ? Date.parse(end) : Date.now();
  const count = Math.ceil((until - Date.parse(start)) / DAY_MS) + 1;
  return Number.isNaN(count) ? ASSUMED_DAYS : Math.min(MAX_DAYS, Math.max(1, count));
}

/** Returns a size that depends on the arguments of a field; a number if there is no variable among them. */
function withArguments(node: FieldNode, size: (args: Variables) => number, max = Infinity): Size {
  const { arguments: given = [] } = node;
  const read = (variables: Variables) =>
    size(
      Object.fromEntries(
        given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
      ),
    );
  const isVarying = given.some(({ value }) => value.kind === 'Variable');
  return isVarying ? { with: read, max } : read({});
}
