import {
  coerceInputLiteral,
  coerceInputValue,
  type DirectiveNode,
  type FieldNode,
  getArgumentValues,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableValues,
} from 'graphql';
import { isIncluded } from '../../graph/selection.ts';

/**
 * Reads variables, arguments and conditions as graphql-js does, but works out only once what is the same in all
 * requests for a query. Queries are valid; wrong variables are left to graphql-js to report.
 */

type Inputs = Readonly<Record<string, unknown>>;
type Args = Record<string, unknown>;
type Field = GraphQLField<unknown, unknown>;

/** Returns undefined if a variable is wrong. */
type ReadVariables = (inputs: Inputs) => VariableValues | undefined;

interface Variable {
  name: string;
  type: GraphQLInputType;
  signature: VariableValues['sources'][string]['signature'];
  /** The default value; undefined if there is none. */
  fallback: unknown;
}

/** Prepares to read the variables of an operation, for all its requests. */
export function createReadVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): ReadVariables {
  const variables = definitions.map((definition) => variableOf(schema, definition));
  return (inputs) => {
    const sources = Object.create(null);
    const coerced = Object.create(null);
    for (const { name, type, signature, fallback } of variables) {
      const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
      sources[name] = value === undefined ? { signature } : { signature, value };
      const known = value === undefined ? fallback : coerceInputValue(value, type);
      if (known !== undefined) coerced[name] = known;
      else if (value !== undefined || isNonNullType(type)) return undefined;
    }
    return { sources, coerced };
  };
}

function variableOf(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue: literal }: VariableDefinitionNode,
): Variable {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode) as GraphQLInputType;
  const signature = { name, type, default: literal && { literal } };
  return { name, type, signature, fallback: literal && coerceInputLiteral(literal, type) };
}

/** Returns the arguments. Throws if one is wrong. */
export type ReadArguments = (variables: VariableValues) => Args;

type ReadArgument = (args: Args, variables: VariableValues) => void;

/** Prepares to read the arguments of a field, for all requests. */
export function createReadArguments(field: Field, node: FieldNode): ReadArguments {
  const all = field.args.flatMap((arg) => createReadArgument(arg, field, node) ?? []);
  return (variables) => {
    const args: Args = Object.create(null);
    for (const readInto of all) readInto(args, variables);
    return args;
  };
}

/** Returns undefined for an argument that the field never gets. */
function createReadArgument(
  arg: GraphQLArgument,
  field: Field,
  node: FieldNode,
): ReadArgument | undefined {
  const { name } = arg;
  const only: Field = Object.create(field, { args: { value: [arg] } });
  const readEachTime: ReadArgument = (args, variables) =>
    void Object.assign(args, getArgumentValues(only, node, variables));
  const given = node.arguments?.find((argument) => argument.name.value === name);
  if (given?.value.kind === Kind.VARIABLE) {
    const variable = given.value.name.value;
    return (args, variables) => {
      const value = variables.coerced[variable];
      if (value === undefined || value === null) readEachTime(args, variables);
      else args[name] = value;
    };
  }
  if (given && hasVariable(given.value)) return readEachTime;
  const constant = getArgumentValues(only, node);
  if (!Object.hasOwn(constant, name)) return undefined;
  return (args) => {
    args[name] = constant[name];
  };
}

/** Whether an argument of a field or a directive depends on variables, whose values differ between requests. */
export function dependsOnVariables({ arguments: given }: FieldNode | DirectiveNode): boolean {
  return given?.some(({ value }) => hasVariable(value)) ?? false;
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/** Whether a field is selected: always, never, or depending on variables. */
export function conditionOf(node: FieldNode): boolean | ((variables: VariableValues) => boolean) {
  if (!node.directives?.some(dependsOnVariables)) return isIncluded(node);
  return (variables) => isIncluded(node, variables);
}
