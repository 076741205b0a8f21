import {
  type ASTNode,
  BREAK,
  coerceInputLiteral,
  coerceInputValue,
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  type GraphQLArgument,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLInputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isNonNullType,
  Kind,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableValues,
  visit,
} from 'graphql';

/**
 * Variables, arguments and conditions as graphql-js reads them, but for what is the same in all requests for a
 * query, which is found once. Queries are valid; what is wrong with variables is for graphql-js to say.
 */

type Inputs = Readonly<Record<string, unknown>>;
type Args = Record<string, unknown>;
type Field = GraphQLField<unknown, unknown>;

/** Gives undefined where a variable is wrong. */
export type ReadVariables = (inputs: Inputs) => VariableValues | undefined;

interface Variable {
  name: string;
  type: GraphQLInputType;
  signature: VariableValues['sources'][string]['signature'];
  /** Undefined: it has none. */
  fallback: unknown;
}

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

/** Throws where an argument is wrong. */
export type ReadArguments = (variables: VariableValues) => Args;

type ReadArgument = (args: Args, variables: VariableValues) => void;

export function createReadArguments(field: Field, node: FieldNode): ReadArguments {
  const all = field.args.flatMap((arg) => createReadArgument(arg, field, node) ?? []);
  return (variables) => {
    const args: Args = Object.create(null);
    for (const readInto of all) readInto(args, variables);
    return args;
  };
}

/** Undefined for an argument that the field never gets. */
function createReadArgument(
  arg: GraphQLArgument,
  field: Field,
  node: FieldNode,
): ReadArgument | undefined {
  const { name } = arg;
  const only: Field = Object.create(field, { args: { value: [arg] } });
  const readAnew: ReadArgument = (args, variables) =>
    void Object.assign(args, getArgumentValues(only, node, variables));
  const given = node.arguments?.find((argument) => argument.name.value === name);
  if (given?.value.kind === Kind.VARIABLE) {
    const variable = given.value.name.value;
    return (args, variables) => {
      const value = variables.coerced[variable];
      if (value === undefined || value === null) readAnew(args, variables);
      else args[name] = value;
    };
  }
  if (given && mentionsVariable(given)) return readAnew;
  const constant = getArgumentValues(only, node);
  if (!Object.hasOwn(constant, name)) return undefined;
  return (args) => {
    args[name] = constant[name];
  };
}

function mentionsVariable(node: ASTNode): boolean {
  let isMentioned = false;
  visit(node, {
    Variable() {
      isMentioned = true;
      return BREAK;
    },
  });
  return isMentioned;
}

/** Whether a field is asked for: always, never, or as its variables say. */
export function conditionOf(node: FieldNode): boolean | ((variables: VariableValues) => boolean) {
  const isAsked = (variables?: VariableValues) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
  return node.directives?.some(mentionsVariable) ? isAsked : isAsked();
}
