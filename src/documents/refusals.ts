import { GraphQLError } from 'graphql';
import { isObject } from '../json.ts';

/** Errors of requests refused before anything runs. Clients act on message, code and status (docs/wire-formats.md). */

/** How an error is sent over HTTP: `extensions.http`, which never reaches a client. */
export interface HttpHints {
  status: number;
  /** 200 for clients that accept only `application/json`, as GraphQL over HTTP wants for well-formed requests. */
  spec?: boolean;
  headers?: Record<string, string>;
}

export function hintsIn({ extensions: { http } }: GraphQLError): HttpHints | undefined {
  return isHints(http) ? http : undefined;
}

function isHints(value: unknown): value is HttpHints {
  return isObject(value) && 'status' in value;
}

const NO_STORE = { 'cache-control': 'no-store' };

/** What Apollo Server sends with a miss, so that no cache answers the second leg with it. */
const MISS = { 'cache-control': 'private, no-cache, must-revalidate' };

/** `details`: further fields of `extensions`, for clients. */
export function refuse(code: string, message: string, http: HttpHints, details = {}) {
  const hints = { ...http, headers: { ...NO_STORE, ...http.headers } };
  const extensions = { code, http: hints, retryable: false, ...details };
  return new GraphQLError(message, { extensions });
}

/** The answer to a hash: not a failure, since the client sends the text next. */
const askForText = (code: string, message: string, headers?: Record<string, string>) =>
  refuse(code, message, { status: 200, ...(headers && { headers }) }, { retryable: undefined });

/**
 * A miss in the first leg of automatic persisted queries. Apollo Kotlin compares the message, and Apollo iOS
 * takes any status but 2xx for a broken connection.
 */
export const queryNotFound = () =>
  askForText('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', MISS);

/** Apollo clients stop sending hashes when they read this. */
export const queryNotSupported = () =>
  askForText('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');

export const hashMismatch = () =>
  refuse('PERSISTED_QUERY_HASH_MISMATCH', 'The provided sha does not match the query.', {
    status: 400,
  });

export const unsupportedVersion = () =>
  refuse(
    'PERSISTED_QUERY_VERSION_NOT_SUPPORTED',
    'Unsupported persisted query version: only 1 is supported.',
    { status: 400 },
  );

/** The message is not PersistedQueryNotFound, after which the client would send the full text for nothing. */
export const notInList = () =>
  refuse('PERSISTED_QUERY_NOT_IN_LIST', 'No document has this id.', { status: 400, spec: true });

export const idRequired = () =>
  refuse(
    'PERSISTED_QUERY_ID_REQUIRED',
    'Only persisted operations are served: send the id of one, or exactly its text.',
    { status: 400 },
  );

export const idAndBody = () =>
  refuse(
    'CANNOT_SEND_PQ_ID_AND_BODY',
    'Send the id of a persisted operation or its text, not both.',
    { status: 400 },
  );

/** A request that is not a GraphQL request at all. */
export const badRequest = (message: string) => refuse('BAD_REQUEST', message, { status: 400 });

export const jsonAsForm = () =>
  badRequest(
    'The body is JSON, but is sent as application/x-www-form-urlencoded: send content-type: application/json.',
  );

export const invalidUrl = () =>
  badRequest('The Host header and the request target do not form a valid URL.');

export const wrongMethod = () =>
  refuse('BAD_REQUEST', 'GraphQL only supports GET and POST requests.', {
    status: 405,
    headers: { allow: 'GET, HEAD, POST' },
  });

/** A browser sends the request for a page whose origin is not permitted. */
export const forbiddenOrigin = () =>
  refuse(
    'FORBIDDEN_ORIGIN',
    'Pages of other sites may not send requests here: list their origin in CORS_ORIGINS, or send a header such as graphql-require-preflight.',
    { status: 403 },
  );

export const forbiddenHost = () =>
  refuse('FORBIDDEN_HOST', 'This host is not served here: list its name in ALLOWED_HOSTS.', {
    status: 403,
  });

/** In its single connection mode, graphql-sse reserves a stream by PUT. */
export const singleConnection = () =>
  refuse(
    'BAD_REQUEST',
    'GraphQL is served by GET and POST here. Server-sent events are served in distinct connections mode only: set singleConnection of graphql-sse to false.',
    { status: 405, headers: { allow: 'GET, HEAD, POST' } },
  );

export const tooLarge = (maxBytes: number) =>
  refuse('REQUEST_TOO_LARGE', `The request is longer than ${maxBytes} bytes.`, { status: 413 });

export const compressedBody = () =>
  refuse(
    'UNSUPPORTED_MEDIA_TYPE',
    'Compressed request bodies are not accepted: send the body without Content-Encoding.',
    { status: 415, headers: { 'accept-encoding': 'identity' } },
  );

export const wrongMediaType = (readable: readonly string[]) =>
  refuse('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${readable.join(', ')}.`, { status: 415 });

export const notFound = () =>
  refuse('NOT_FOUND', 'GraphQL is served at /graphql.', { status: 404 });

export const unknownOperation = () =>
  refuse('OPERATION_RESOLUTION_FAILURE', 'Could not determine what operation to execute.', {
    status: 400,
    spec: true,
  });

export const mutationByGet = () =>
  refuse('BAD_REQUEST', 'Can only perform a mutation operation from a POST request.', {
    status: 405,
    headers: { allow: 'POST' },
  });

/** An operation whose answer the client cannot read must not run, least of all a subscription: it would never end. */
export const notAcceptable = (what: string, offered: readonly string[]) =>
  refuse(
    'NOT_ACCEPTABLE',
    `${what} is sent as ${offered.join(' or ')}, and the request accepts none of these.`,
    { status: 406 },
  );

/** A dry run that is asked for where none is possible must not become an operation that spends. */
export const noDryRun = (reason: string) =>
  refuse('DRY_RUN_UNSUPPORTED', `${reason}: ask for a dry run of a query over HTTP.`, {
    status: 400,
    spec: true,
  });

/** Does not tell the client what went wrong. */
export const unexpected = () =>
  refuse('INTERNAL_SERVER_ERROR', 'Unexpected error.', { status: 500 });

/** Maximum length of a message, in characters: those of graphql-js repeat what was sent, however long that is. */
const MAX_MESSAGE_LENGTH = 500;

function shortened(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}

/** Gives an error of graphql-js a code; an error that has its own, as those of scalars do, keeps it. */
export function coded(code: string, error: GraphQLError): GraphQLError {
  const http: HttpHints = { status: 400, spec: true };
  return withExtensions(error, { http, code });
}

/** Does the same for an error of a field, which is sent along with data. */
export const codedInField = (code: string, error: GraphQLError): GraphQLError =>
  'code' in error.extensions ? error : withExtensions(error, { code });

function withExtensions(error: GraphQLError, more: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path, originalError } = error;
  const extensions = { ...more, ...error.extensions };
  const about = { nodes, source, positions, path, originalError, extensions };
  return new GraphQLError(shortened(error.message), about);
}

/** A request that is refused for several reasons at once, such as a document that does not fit the schema. */
export class Refused extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
  }
}
