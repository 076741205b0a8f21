import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import * as refusals from '../documents/refusals.ts';

/** The errors that clients are sent: if many fields fail, the list is bounded, and each cause is reported once. */

const MAX_ERRORS = 100;

/**
 * Returns the errors of a result without those that differ from another one only by their position in lists:
 * at most 100, and one more that counts the rest. An error that stands for several has their number, itself
 * included, in `extensions.count`.
 */
export function deduplicateErrors(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  if (errors.length === 1) return errors;
  const counts = new Map<string, { error: GraphQLError; count: number }>();
  const rest: GraphQLError[] = [];
  for (const error of errors) {
    const cause = causeOf(error);
    const known = counts.get(cause);
    if (known) known.count += 1;
    else if (counts.size < MAX_ERRORS) counts.set(cause, { error, count: 1 });
    else rest.push(error);
  }
  const visible = [...counts.values()].map(({ error, count }) => withCount(error, count));
  return rest[0] ? [...visible, moreErrors(rest[0], rest.length)] : visible;
}

function moreErrors({ extensions }: GraphQLError, count: number): GraphQLError {
  return new GraphQLError(`and ${count} more errors`, { extensions: { ...extensions, count } });
}

/** Returns what identifies an error's cause: its message and its field, whichever item of a list it is in. */
function causeOf({ message, path = [] }: GraphQLError): string {
  const field = path.map((part) => (typeof part === 'number' ? '' : part));
  return JSON.stringify([message, ...field]);
}

function withCount(error: GraphQLError, count: number): GraphQLError {
  if (count === 1) return error;
  const { message, nodes, source, positions, path, originalError, extensions } = error;
  const counted = { ...extensions, count };
  const about = { nodes, source, positions, path, originalError, extensions: counted };
  return new GraphQLError(message, about);
}

/** Returns the errors of a request that failed as a whole; an unexpected error goes to the log only. */
export function errorsOf(error: unknown, log: Logger): readonly GraphQLError[] {
  if (error instanceof refusals.Refused) return error.errors;
  if (error instanceof GraphQLError) return [error];
  log.error({ err: error }, 'unexpected error');
  return [refusals.unexpected()];
}
