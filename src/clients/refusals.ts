import type { GraphQLError } from 'graphql';
import { refuse } from '../documents/refusals.ts';

/** The errors of clients that are not let in. Clients act on these codes and statuses (docs/clients.md). */

// Errors are reused: recording the stack of a new one costs more than all the rest of a refusal.

/** Callers without a valid key learn nothing else. */
const UNAUTHENTICATED = refuse(
  'UNAUTHENTICATED',
  'Send the key of a client, as `Authorization: Bearer KEY` or as `x-api-key: KEY`.',
  { status: 401, headers: { 'www-authenticate': 'Bearer' } },
);
export const unauthenticated = () => UNAUTHENTICATED;

interface TooMany {
  limit: number;
  retryAfterSeconds: number;
  error: GraphQLError;
}

/** The last error of each client: it stays the same for a second. */
const lastErrors = new Map<string, TooMany>();

/** The client has sent as many operations as it may in a minute. */
export function tooManyOperations(
  name: string,
  limit: number,
  retryAfterSeconds: number,
): GraphQLError {
  const known = lastErrors.get(name);
  if (known?.limit === limit && known.retryAfterSeconds === retryAfterSeconds) return known.error;
  const error = newTooMany(name, limit, retryAfterSeconds);
  lastErrors.set(name, { limit, retryAfterSeconds, error });
  return error;
}

const newTooMany = (name: string, limit: number, retryAfterSeconds: number) =>
  refuse(
    'CLIENT_RATE_EXCEEDED',
    `The client ${name} may send ${limit} operations a minute (operationsPerMinute): try again in ${retryAfterSeconds} s.`,
    { status: 429, headers: { 'retry-after': String(retryAfterSeconds) } },
    { limit, retryAfter: retryAfterSeconds, retryable: true },
  );

/** The key may be used only by pages of certain origins. */
export const forbiddenClientOrigin = () =>
  refuse(
    'FORBIDDEN_ORIGIN',
    'Pages of this origin may not use this key: list the origin with the client in CLIENTS_FILE.',
    { status: 403 },
  );
