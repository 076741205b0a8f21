import { type ExecutionResult, GraphQLError } from 'graphql';

/** Gives the GraphQLError that a function throws a code. */
export function withCode<T>(code: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof GraphQLError ? coded(code, error) : error;
  }
}

/** An error with a code of its own, as scalars give, keeps it. */
export function coded(code: string, error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, originalError, extensions } = error;
  return new GraphQLError(error.message, {
    nodes,
    source,
    positions,
    path,
    originalError,
    // 400 in GraphQL's own media type, as for all that is not executed.
    extensions: { http: { status: 400, spec: true }, code, ...extensions },
  });
}

/** A result without data comes from wrong variables: nothing has run. */
export function codeVariableErrors(result: ExecutionResult): ExecutionResult {
  if ('data' in result || !result.errors) return result;
  return { ...result, errors: result.errors.map((error) => coded('BAD_USER_INPUT', error)) };
}
