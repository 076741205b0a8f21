import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';

/** What clients see of an error that is none of ours: nothing. The log has the rest. */
export function maskWith(log: Logger) {
  return (error: unknown): GraphQLError => {
    const located = error instanceof GraphQLError ? error : undefined;
    const original = located ? located.originalError : error;
    if (located && (!original || original instanceof GraphQLError)) return located;
    log.error({ err: original }, 'unexpected error');
    const extensions = { code: 'INTERNAL_SERVER_ERROR' };
    const { nodes, path } = located ?? {};
    return new GraphQLError('Unexpected error.', { nodes, path, extensions });
  };
}
