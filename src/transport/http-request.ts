import type { GraphQLError } from 'graphql';
import type { IncomingHttpHeaders } from 'node:http';
import { remembered } from './remembered.ts';
import { forbiddenClientOrigin } from '../clients/refusals.ts';
import { type Parameters, readParameters, readSearch, withPath } from '../documents/parameters.ts';
import * as refusals from '../documents/refusals.ts';
import { parseJson } from '../json.ts';
import type { OperationRequest } from '../pipeline/request.ts';
import { type RequestKey, requestKey } from '../pipeline/request-key.ts';
import { headerOf, type HttpRequest, MAX_BODY_BYTES, PATH, pathOf } from './http-message.ts';
import type { Forbidden } from './origins.ts';
import { type Accepted, EVENT_STREAM, OFFERED, readAccept } from './negotiation.ts';

/** From an HTTP request to the operation that it asks for. */

/** Some listed operations are for one client only, which says its name in this header. */
export const CLIENT_NAME = 'apollographql-client-name';
export const DRY_RUN = 'x-usage-dry-run';

/** Of graphql-sse in single connection mode, whose streams must be reserved. */
const STREAM_TOKEN = 'x-graphql-event-stream-token';

/** How the body of a POST is read, by its media type. */
const READERS = new Map<string, (body: string) => Parameters>([
  ['application/json', readJson],
  ['application/graphql+json', readJson],
  ['application/graphql', (query) => ({ query })],
  ['application/x-www-form-urlencoded', readForm],
]);

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
    eventsNeed: accepted.events ? undefined : EVENT_STREAM,
    format,
  };
}

/** Of a request that runs nothing: whoever asks is told why in JSON, whatever else they accept. */
export function refusedRequest(request: HttpRequest, why: Forbidden): OperationRequest {
  const refused = FORBIDDEN[why]();
  return {
    ...operationRequest(request, JSON_ONLY),
    key: undefined,
    read() {
      throw refused;
    },
  };
}

const FORBIDDEN: Record<Forbidden, () => GraphQLError> = {
  host: refusals.forbiddenHost,
  origin: refusals.forbiddenOrigin,
  'origin of client': forbiddenClientOrigin,
};

const JSON_ONLY = readAccept('application/json');

/** Whatever is not a clear no: a dry run that is not understood must not spend. */
export function asksForDryRun(header: string | undefined): boolean {
  return header !== undefined && !/^\s*(0|false|no|off)?\s*$/i.test(header);
}

/** A longer body is hardly sent twice. */
const MAX_KEY_LENGTH = 16_384;

/**
 * Everything that an answer depends on: the address and the body hold the document or its id, the
 * operation's name and the variables; the headers decide how these are read and what goes back.
 * All clients share answers, unless what they may ask for, or how fresh it has to be, differs: a header
 * that is to tell them apart belongs in here.
 */
function keyOf(request: HttpRequest): RequestKey | undefined {
  const { method, url, headers, body } = request;
  if (method !== 'POST' && method !== 'GET') return undefined;
  if (body === undefined || body.length > MAX_KEY_LENGTH || isOdd(headers)) return undefined;
  const client = headerOf(request.headers, CLIENT_NAME) ?? '';
  const decisive = `${headers.accept ?? ''}\n${headers['content-type'] ?? ''}\n${client}`;
  return requestKey(`${kindOf(request)}${method} ${url}\n${decisive}\n${body}`);
}

/** Headers that are not in the key, and for which a request may be refused: it is always read. */
function isOdd(headers: IncomingHttpHeaders): boolean {
  const { host = '', 'content-encoding': coding, [STREAM_TOKEN]: token } = headers;
  return coding !== undefined || token !== undefined || !isHost(host);
}

function kindOf({ caller }: HttpRequest): string {
  if (!caller) return '';
  const { persistedOnly, priority } = caller.client;
  return `${persistedOnly ? 'persisted ' : ''}${priority} `;
}

function read(request: HttpRequest, accepted: Accepted): Parameters {
  const problem = problemOf(request);
  if (problem) throw problem;
  const { method, url } = request;
  const sent = withPath(method === 'GET' ? readSearch(url) : readBody(request), url);
  // Nobody could read the answer: it must not cost anything.
  if (!accepted.any) throw refusals.notAcceptable('An answer', OFFERED);
  return sent;
}

/** Why a message can be no GraphQL request, whatever its body holds. */
function problemOf(request: HttpRequest): GraphQLError | undefined {
  const { method, body, headers } = request;
  if (!hasAddress(request)) return refusals.noAddress();
  if (!isForGraphQL(request)) return refusals.notFound();
  if (method === 'PUT' || headers[STREAM_TOKEN] !== undefined) return refusals.singleConnection();
  if (method === 'GET') return undefined;
  if (method !== 'POST') return refusals.wrongMethod();
  if (body === undefined) return refusals.tooLarge(MAX_BODY_BYTES);
  const coding = headerOf(headers, 'content-encoding') ?? 'identity';
  return coding.toLowerCase() === 'identity' ? undefined : refusals.compressed();
}

/** Whether host and target make an address. What comes without a host is old, but no worse for it. */
function hasAddress({ url, headers: { host = '' } }: HttpRequest): boolean {
  return isHost(host) && (url === PATH || isAddress(host, url));
}

const isHost = remembered((host: string) => !/[\s/?#@\\]/.test(host) && isAddress(host, PATH));

const isAddress = (host: string, url: string) =>
  URL.canParse(`http://${host || 'localhost'}${url}`);

/** Lets go of what is read: an operation may wait for long, and has the request with it. */
function readBody(request: HttpRequest): Parameters {
  const { headers, body = '' } = request;
  request.body = '';
  const reader = READERS.get(mediaTypeOf(headers['content-type']));
  if (!reader) throw refusals.wrongMediaType([...READERS.keys()]);
  return reader(body);
}

const NOT_JSON = 'POST body sent invalid JSON.';
const NO_BODY =
  'The POST has no body: it is to be JSON with a "query", or the body was read before it came here.';

function readJson(body: string): Parameters {
  // Some editors put a byte order mark in front, which JSON does not know.
  const value = parseJson(body.startsWith('\uFEFF') ? body.slice(1) : body);
  if (value === undefined) throw refusals.badRequest(body === '' ? NO_BODY : NOT_JSON);
  return readParameters(value);
}

/** The media type is the one that curl and others send where nobody has said another. */
function readForm(body: string): Parameters {
  if (/^\s*[[{]/.test(body)) throw refusals.jsonAsForm();
  // A copy: what is cut out of a text keeps all of it.
  return structuredClone(readSearch(`?${body}`));
}

/** Case, white space and parameters mean nothing in a media type (RFC 9110 section 8.3.1). */
function mediaTypeOf(header = ''): string {
  if (header === 'application/json') return header;
  const [type = ''] = header.split(/[;,]/, 1);
  return type.trim().toLowerCase();
}

/** `/graphql`, or an id and an operation's name below it. */
function isForGraphQL({ url }: HttpRequest): boolean {
  if (url === PATH) return true;
  const [, first, ...below] = pathOf(url).replace(/\/$/, '').split('/');
  return `/${first}` === PATH && below.length <= 2;
}

/** A browser that opens the endpoint, or the root of its port, unless it likes JSON better. */
export function mayAskForPage({ headers }: HttpRequest, path: string): boolean {
  return (path === PATH || path === '/') && Boolean(headers.accept?.includes('text/html'));
}
