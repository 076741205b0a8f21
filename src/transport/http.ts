import { LRUCache } from 'lru-cache';
import { type Maybe, whenReady } from '../maybe.ts';
import type { ServePage } from '../graphiql/serve.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Clock } from '../time.ts';
import { type HttpReply, type HttpRequest, jsonReply, PATH, pathOf } from './http-message.ts';
import { eventStreamReply, httpReply, USED } from './http-reply.ts';
import { asksForPage, isForYoga, operationRequest } from './http-request.ts';
import { type Accepted, readAccept } from './negotiation.ts';
import type { YogaTransport } from './yoga.ts';

/** Answers an HTTP request, however it came in. Rejects only where the pipeline does. */
export type Http = (request: HttpRequest) => Maybe<HttpReply>;

export interface HttpOptions {
  pipeline: Pipeline;
  yoga: YogaTransport;
  /** Undefined: there is no page. */
  servePage: ServePage | undefined;
  /** Origins whose pages may ask from a browser: exact ones, or `*`. */
  corsOrigins: readonly string[];
  isReady(): boolean;
  monotonic: Clock;
}

/** `accept` headers that are remembered: clients have few of them. */
const MAX_ACCEPTS = 100;

export function createHttp(options: HttpOptions): Http {
  const { pipeline, yoga, servePage, corsOrigins, isReady } = options;
  const accepts = new LRUCache<string, Accepted>({ max: MAX_ACCEPTS });

  /** Clients without the header accept everything. */
  function acceptedBy({ headers: { accept } }: HttpRequest): Accepted {
    const header = accept || '*/*';
    const known = accepts.get(header);
    if (known) return known;
    const accepted = readAccept(header);
    accepts.set(header, accepted);
    return accepted;
  }

  /** A plain query goes straight to the pipeline; Yoga reads and writes all other forms of it. */
  function graphql(request: HttpRequest): Maybe<HttpReply> {
    if (servePage && asksForPage(request)) return servePage(request);
    const accepted = acceptedBy(request);
    const operation = operationRequest(request, accepted);
    if (isForYoga(request, accepted)) return yoga.serve(request, operation);
    return whenReady(pipeline(operation), (reply) =>
      reply.kind === 'text'
        ? httpReply(request, reply, options.monotonic())
        : eventStreamReply(reply, yoga.fetchAPI),
    );
  }

  /** All other paths go to GraphQL: an id may stand in them, and a refusal carries an account. */
  function route(request: HttpRequest): Maybe<HttpReply> {
    const path = pathOf(request.url);
    if (path === PATH) return graphql(request);
    if (path === '/health') return jsonReply(200, { status: 'ok' });
    if (path !== '/ready') return graphql(request);
    return isReady() ? jsonReply(200, { status: 'ready' }) : jsonReply(503, { status: 'stopping' });
  }

  return (request) => {
    const allowed = allowedOrigin(request, corsOrigins);
    if (!allowed) return route(request);
    const reply = preflightReply(request) ?? route(request);
    return whenReady(reply, (ready) => ({ ...ready, headers: { ...ready.headers, ...allowed } }));
  };
}

/** What pages of other origins may do; browsers ask before they send JSON. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'content-type, accept, if-none-match, x-usage-dry-run, apollographql-client-name, apollographql-client-version, apollo-require-preflight',
  'access-control-max-age': '86400',
};

/**
 * The headers by which a page of another origin may read the reply; undefined where it may not.
 * Credentials are never allowed: answers are the same for all.
 */
function allowedOrigin(
  { headers: { origin } }: HttpRequest,
  origins: readonly string[],
): HttpReply['headers'] | undefined {
  const isOpen = origins.includes('*');
  if (!origin || !(isOpen || origins.includes(origin))) return undefined;
  return {
    'access-control-allow-origin': isOpen ? '*' : origin,
    'access-control-expose-headers': `etag, ${USED}`,
  };
}

/** The answer to a browser that asks whether it may ask; undefined for any other request. */
function preflightReply({ method, headers }: HttpRequest): HttpReply | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'];
  return isPreflight ? { status: 204, headers: PREFLIGHT, body: [] } : undefined;
}
