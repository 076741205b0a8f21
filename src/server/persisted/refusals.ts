import { GraphQLError } from 'graphql';

/** Why a request for a document is refused; clients act on these messages, codes and statuses. */

interface Http {
  status: number;
  /** Clients that accept only `application/json` get 200, as for every request that is not executed. */
  spec?: boolean;
  headers?: Record<string, string>;
}

const NO_STORE = { 'cache-control': 'no-store' };

/** What Apollo Server sends with a miss, so that no cache answers the second leg with it. */
const MISS = { 'cache-control': 'private, no-cache, must-revalidate' };

function refuse(code: string, message: string, http: Http): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code, http: { headers: NO_STORE, ...http } },
  });
}

/**
 * First leg of automatic persisted queries. Apollo Kotlin compares the message, and Apollo iOS takes
 * any status but 2xx for a broken connection.
 */
export const queryNotFound = () =>
  refuse('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', { status: 200, headers: MISS });

/** Apollo clients stop sending hashes when they read this. */
export const queryNotSupported = () =>
  refuse('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', { status: 200 });

export const hashMismatch = () =>
  refuse('PERSISTED_QUERY_HASH_MISMATCH', 'The provided sha does not match the query.', {
    status: 400,
  });

export const unsupportedVersion = () =>
  refuse(
    'PERSISTED_QUERY_VERSION_NOT_SUPPORTED',
    'Unsupported persisted query version: only 1 is known.',
    { status: 400 },
  );

/** Its message is not PersistedQueryNotFound: the client would send the full text for nothing. */
export const notInList = () =>
  refuse('PERSISTED_QUERY_NOT_IN_LIST', 'No document has this id.', { status: 400, spec: true });

export const idRequired = () =>
  refuse(
    'PERSISTED_QUERY_ID_REQUIRED',
    'Only persisted operations are served: send the id of one instead of its text.',
    { status: 400 },
  );

export const idAndBody = () =>
  refuse(
    'CANNOT_SEND_PQ_ID_AND_BODY',
    'Send the id of a persisted operation or its text, not both.',
    { status: 400 },
  );

/** A request that is no GraphQL request at all. */
export const badRequest = (message: string) =>
  refuse('BAD_REQUEST', message, { status: 400, spec: true });
