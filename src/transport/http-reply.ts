import type { GraphQLError } from 'graphql';
import { type Rate, WINDOW_SECONDS } from '../clients/rate.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import {
  type Coding,
  type CompressedHead,
  compressHead,
  isWorthCompressing,
  withTail,
} from '../pipeline/compression.ts';
import { errorJson } from '../pipeline/result-json.ts';
import { METERS, type Meter } from '../meters.ts';
import type { OperationRequest, TextReply } from '../pipeline/request.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { hintsIn } from '../documents/refusals.ts';
import { CLIENT_NAME, DRY_RUN } from './http-request.ts';

/** Turns the reply to an operation into an HTTP reply: status, caching, body. */

/** Request headers that an answer depends on, which caches on the way must take into account. */
const VARY = `Accept, Accept-Encoding, Origin, ${CLIENT_NAME}, ${DRY_RUN}`;
const VARY_BY_KEY = `${VARY}, Authorization, X-Api-Key`;

/** Returns the headers that say how long a reply may be cached, and by whom: `Cache-Control`, and `Vary` for a GET. */
export function cachingHeaders(request: HttpRequest, freshForMs: number): HttpReply['headers'] {
  const { method, caller } = request;
  const caching = cacheControl(method === 'GET' && !caller, freshForMs);
  const headers: HttpReply['headers'] = { 'cache-control': caching };
  if (method === 'GET') headers['vary'] = varyFor(request);
  return headers;
}

export const varyFor = ({ caller }: HttpRequest) => (caller ? VARY_BY_KEY : VARY);

/** Adds the `RateLimit` header fields of the IETF draft. */
export function withRate(reply: HttpReply, { limit, remaining, resetSeconds }: Rate): HttpReply {
  const { headers } = reply;
  headers['ratelimit-policy'] = `"operations";q=${limit};w=${WINDOW_SECONDS}`;
  headers['ratelimit'] = `"operations";r=${remaining};t=${resetSeconds}`;
  return reply;
}

/** Returns the reply to a request that is not let in: JSON, whatever else its client accepts. */
export function refusalReply(
  error: GraphQLError,
  format: OperationRequest['format'],
  body = JSON.stringify({ errors: [errorJson(error)] }),
): HttpReply {
  const { status = 500, headers } = hintsIn(error) ?? {};
  return {
    status,
    headers: {
      'content-type': format === 'object' ? 'application/json' : format.mediaType,
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
    body: [body],
  };
}

/** Header that holds the account of a response without a body: units by meter, as a dictionary (RFC 9651). */
export const USED = 'x-usage-used';

function formatUsed(units: Readonly<Record<Meter, number>>): string {
  return METERS.map((meter) => `${meter}=${units[meter]}`).join(', ');
}

/** Returns the HTTP reply. `coding`: the content coding that the client accepts; undefined: no compression. */
export function httpReply(
  request: HttpRequest,
  reply: TextReply,
  coding: Coding | undefined,
): Maybe<HttpReply> {
  const { head, tail, etag } = reply;
  if (etag && matchesEtag(request.headers['if-none-match'], etag))
    return notModified(request, reply);
  const headers = headersOf(request, reply);
  if (request.isHead) headers[USED] = formatUsed(reply.used);
  const status = statusOf(reply);
  if (!coding || !isWorthCompressing(head, tail)) return uncompressedReply(status, headers, reply);
  return whenReady(compressedHead(reply, coding), (compressed) => {
    const body = withTail(coding, compressed, tail);
    headers['content-encoding'] = coding;
    headers['content-length'] = body.length;
    return { status, headers, body: [body] };
  });
}

function uncompressedReply(
  status: number,
  headers: HttpReply['headers'],
  reply: TextReply,
): HttpReply {
  const { head, tail } = reply;
  if (typeof head === 'string') {
    const body = [head + tail];
    headers['content-length'] = Buffer.byteLength(body[0]!);
    const release = () => {
      body.length = 0;
      reply.head = '';
    };
    return { status, headers, body, release };
  }
  const whole = reply.whole?.();
  headers['content-length'] = whole?.length ?? head.length + Buffer.byteLength(tail);
  return { status, headers, body: whole ? [whole] : [head, tail] };
}

function compressedHead(reply: TextReply, coding: Coding): Maybe<CompressedHead> {
  if (reply.compressed) return reply.compressed(coding);
  const { head } = reply;
  reply.head = '';
  return compressHead(coding, head);
}

/** Returns a 304: the client has the data already, and is told only what finding that out has cost. */
function notModified(request: HttpRequest, reply: TextReply): HttpReply {
  const headers = { ...headersOf(request, reply), [USED]: formatUsed(reply.used) };
  return { status: 304, headers, body: [] };
}

function headersOf(
  request: HttpRequest,
  { mediaType, etag, freshForMs, http }: TextReply,
): HttpReply['headers'] {
  const headers = cachingHeaders(request, freshForMs);
  headers['content-type'] = mediaType;
  if (etag) headers['etag'] = etag;
  return http?.headers ? { ...headers, ...http.headers } : headers;
}

/** Well-formed requests that are not executed get 200 if the answer goes out as `application/json`. */
function statusOf({ http, mediaType }: TextReply): number {
  if (!http || (http.spec && mediaType.startsWith('application/json'))) return 200;
  return http.status;
}

/** Shared caches may keep the answer to a GET; the answer to a POST, or to a request with a key, is private. */
function cacheControl(isPublic: boolean, freshForMs: number): string {
  const seconds = Math.floor(freshForMs / 1000);
  if (seconds <= 0) return 'no-store';
  return `${isPublic ? 'public' : 'private'}, max-age=${seconds}`;
}

/** Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 section 13.1.2): a leading `W/` is ignored. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (!header) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** Headers that the transport of the reply has to set itself: those that Yoga sets do not fit every connection. */
const FRAMING_HEADERS = ['connection', 'transfer-encoding', 'content-encoding'];

/** Converts a response that Yoga has written into a reply. */
export function replyOf({ status, headers, body }: Response): HttpReply {
  for (const name of FRAMING_HEADERS) headers.delete(name);
  return { status, headers: Object.fromEntries(headers), body: body ?? [] };
}
