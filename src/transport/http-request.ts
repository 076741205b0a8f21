import type { GraphQLError } from 'graphql';
import type { IncomingHttpHeaders } from 'node:http';
import { remembered } from './remembered.ts';
import { forbiddenClientOrigin } from '../clients/refusals.ts';
import { type Parameters, readParameters, readSearch, withPath } from '../documents/parameters.ts';
import * as refusals from '../documents/refusals.ts';
import { parseEditedJson } from '../json.ts';
import type { OperationRequest } from '../pipeline/request.ts';
import { type RequestKey, requestKey } from '../pipeline/request-key.ts';
import {
  FORM_TYPE,
  GRAPHQL_PATH,
  headerOf,
  type HttpRequest,
  MAX_BODY_BYTES,
  mediaTypeOf,
  pathOf,
} from './http-message.ts';
import type { ForbiddenReason } from './origins.ts';
import { type Accepted, EVENT_STREAM, OFFERED_TYPES, readAccept } from './negotiation.ts';

/** Turns an HTTP request into the operation that it asks for. */

/** Header in which a client gives its name: some listed operations are for one client only. */
export const CLIENT_NAME = 'apollographql-client-name';
export const DRY_RUN = 'x-usage-dry-run';

/** Header of the single connection mode of graphql-sse, in which streams must be reserved. */
const STREAM_TOKEN = 'x-graphql-event-stream-token';

/** How the body of a POST is read, by its media type. */
const BODY_READERS = new Map<string, (body: string) => Parameters>([
  ['application/json', readJson],
  ['application/graphql+json', readJson],
  ['application/graphql', (query) => ({ query })],
  [FORM_TYPE, readForm],
]);

/** Returns the operation that a request asks for; nothing of its body is parsed before `read` is called. */
export function operationRequest(request: HttpRequest, accepted: Accepted): OperationRequest {
  const isDry = asksForDryRun(headerOf(request.headers, DRY_RUN));
  const { format } = accepted;
  return {
    key: isDry || format === 'object' ? undefined : keyOf(request),
    read: () => read(request, accepted),
    method: request.method === 'GET' ? 'GET' : 'POST',
    clientName: headerOf(request.headers, CLIENT_NAME),
    party: request.caller?.client.name ?? request.address,
    client: request.caller?.client,
    caller: request.caller,
    isDry,
    arrivedAt: request.arrivedAt,
    traceHeaders: request.headers,
    requiredEventType: accepted.acceptsEvents ? undefined : EVENT_STREAM,
    format,
  };
}

/** Returns the operation of a request that must not run: its client is told why in JSON, whatever it accepts. */
export function refusedRequest(request: HttpRequest, reason: ForbiddenReason): OperationRequest {
  const error = FORBIDDEN_ERRORS[reason]();
  return {
    ...operationRequest(request, JSON_ONLY),
    key: undefined,
    read() {
      throw error;
    },
  };
}

const FORBIDDEN_ERRORS: Record<ForbiddenReason, () => GraphQLError> = {
  host: refusals.forbiddenHost,
  origin: refusals.forbiddenOrigin,
  'origin of client': forbiddenClientOrigin,
};

const JSON_ONLY = readAccept('application/json');

/** Whether the header asks for a dry run: any value but a clear no does, so that a misspelled one spends nothing. */
export function asksForDryRun(header: string | undefined): boolean {
  return header !== undefined && !/^\s*(0|false|no|off)?\s*$/i.test(header);
}

/** Maximum characters of a body in a key: longer bodies are rarely sent twice. */
const MAX_KEY_LENGTH = 16_384;

/**
 * Returns a key of everything that an answer depends on: URL and body hold the document or its id, the
 * operation's name and the variables; the headers decide how these are read and what is sent back.
 * All clients share answers, unless they differ in what they may ask for or how fresh it has to be. A header
 * that makes answers differ has to be part of this key.
 */
function keyOf(request: HttpRequest): RequestKey | undefined {
  const { method, url, headers, body } = request;
  if (method !== 'POST' && method !== 'GET') return undefined;
  if (body === undefined || body.length > MAX_KEY_LENGTH || hasUnkeyedHeaders(headers))
    return undefined;
  const client = headerOf(headers, CLIENT_NAME) ?? '';
  const keyedHeaders = `${headers.accept ?? ''}\n${headers['content-type'] ?? ''}\n${client}`;
  return requestKey(`${clientPrefix(request)}${method} ${url}\n${keyedHeaders}\n${body}`);
}

/** Whether it has headers that may get it refused and are not in the key: such a request is always read. */
function hasUnkeyedHeaders(headers: IncomingHttpHeaders): boolean {
  const { host = '', 'content-encoding': coding, [STREAM_TOKEN]: token } = headers;
  return coding !== undefined || token !== undefined || !isHost(host);
}

function clientPrefix({ caller }: HttpRequest): string {
  if (!caller) return '';
  const { persistedOnly, priority } = caller.client;
  return `${persistedOnly ? 'persisted ' : ''}${priority} `;
}

function read(request: HttpRequest, accepted: Accepted): Parameters {
  const problem = problemOf(request);
  if (problem) throw problem;
  const { method, url } = request;
  const sent = withPath(method === 'GET' ? readSearch(url) : readBody(request), url);
  // The client could not read any answer: it must not cost anything.
  if (!accepted.acceptsAny) throw refusals.notAcceptable('An answer', OFFERED_TYPES);
  return sent;
}

/** Returns why a message cannot be a GraphQL request, whatever its body holds; undefined if it can. */
function problemOf(request: HttpRequest): GraphQLError | undefined {
  const { method, body, headers } = request;
  if (!hasAddress(request)) return refusals.invalidUrl();
  if (!isForGraphQL(request)) return refusals.notFound();
  if (method === 'PUT' || headers[STREAM_TOKEN] !== undefined) return refusals.singleConnection();
  if (method === 'GET') return undefined;
  if (method !== 'POST') return refusals.wrongMethod();
  if (body === undefined) return refusals.tooLarge(MAX_BODY_BYTES);
  const coding = headerOf(headers, 'content-encoding') ?? 'identity';
  return coding.toLowerCase() === 'identity' ? undefined : refusals.compressedBody();
}

/** Whether host and target form a URL. A request without a host comes from an old client, and is accepted. */
function hasAddress({ url, headers: { host = '' } }: HttpRequest): boolean {
  return isHost(host) && (url === GRAPHQL_PATH || isAddress(host, url));
}

const isHost = remembered(
  (host: string) => !/[\s/?#@\\]/.test(host) && isAddress(host, GRAPHQL_PATH),
);

const isAddress = (host: string, url: string) =>
  URL.canParse(`http://${host || 'localhost'}${url}`);

/** Reads the body and removes it from the request, which is kept as long as its operation waits. */
function readBody(request: HttpRequest): Parameters {
  const { headers, body = '' } = request;
  request.body = '';
  const reader = BODY_READERS.get(mediaTypeOf(headers['content-type']));
  if (!reader) throw refusals.wrongMediaType([...BODY_READERS.keys()]);
  return reader(body);
}

const NOT_JSON = 'POST body sent invalid JSON.';
const NO_BODY =
  'The POST has no body. Send JSON with a "query"; if another server handles the request first, it may have consumed the body.';

function readJson(body: string): Parameters {
  const value = parseEditedJson(body);
  if (value === undefined) throw refusals.badRequest(body === '' ? NO_BODY : NOT_JSON);
  return readParameters(value);
}

/**
 * Reads a form. Clients such as curl send this media type by default: JSON that comes under it is refused as such, even
 * if an earlier body parser has taken it for the name of a field, which is then encoded.
 */
function readForm(body: string): Parameters {
  if (/^\s*(?:[[{]|%[57]B)/.test(body)) throw refusals.jsonAsForm();
  const { variables, extensions, ...texts } = readSearch(`?${body}`);
  // Copies: a substring would keep the whole text in memory. What was parsed holds none, and may be nested too deeply.
  return { ...structuredClone(texts), variables, extensions };
}

/** Whether the path is `/graphql`, or an id and perhaps an operation's name below it. */
function isForGraphQL({ url }: HttpRequest): boolean {
  if (url === GRAPHQL_PATH) return true;
  const [, first, ...below] = pathOf(url).replace(/\/$/, '').split('/');
  return `/${first}` === GRAPHQL_PATH && below.length <= 2;
}

/** Whether this may be a browser that opens the endpoint or the root of its port. */
export function mayAskForPage({ headers }: HttpRequest, path: string): boolean {
  const isPage = path === GRAPHQL_PATH || path === '/' || path === `${GRAPHQL_PATH}/`;
  return isPage && Boolean(headers.accept?.includes('text/html'));
}
