import { GraphQLError } from 'graphql';
import { refuse } from '../documents/refusals.ts';

/** Why a client is not let in. Clients act on these codes and statuses (docs/clients.md). */

/** Nobody who has no key is told more. */
export const unauthenticated = () =>
  refuse(
    'UNAUTHENTICATED',
    'Send the key of a client, as `Authorization: Bearer KEY` or as `x-api-key: KEY`.',
    { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  );

/** The client has sent as many operations as it may in a minute. */
export const tooManyOperations = (name: string, limit: number, retryAfterSeconds: number) =>
  withExtensions(
    refuse(
      'CLIENT_RATE_EXCEEDED',
      `The client ${name} may send ${limit} operations a minute (operationsPerMinute): try again in ${retryAfterSeconds} s.`,
      { status: 429, headers: { 'retry-after': String(retryAfterSeconds) } },
    ),
    { limit, retryAfter: retryAfterSeconds, retryable: true },
  );

function withExtensions({ message, extensions }: GraphQLError, more: object): GraphQLError {
  return new GraphQLError(message, { extensions: { ...extensions, ...more } });
}

/** The key is for pages of certain origins. */
export const forbiddenClientOrigin = () =>
  refuse(
    'FORBIDDEN_ORIGIN',
    'Pages of this origin may not ask with this key: list the origin with the client in CLIENTS_FILE.',
    { status: 403 },
  );
