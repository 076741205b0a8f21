import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Caller, type Door, keyInHeaders } from '../clients/door.ts';
import * as refusals from '../clients/refusals.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Following, OperationRequest } from '../pipeline/request.ts';
import { type Studio, STUDIO_PATH } from '../studio/serve.ts';
import type { Clock } from '../time.ts';
import {
  type HttpReply,
  type HttpRequest,
  jsonReply,
  type OpenStreams,
  PATH,
  pathOf,
} from './http-message.ts';
import { closedDoorReply, eventStreamReply, httpReply, USED } from './http-reply.ts';
import {
  asksForPage,
  CLIENT_NAME,
  DRY_RUN,
  isForYoga,
  operationRequest,
  refusedRequest,
} from './http-request.ts';
import type { Readiness } from './lifecycle.ts';
import { type Accepted, readAccept } from './negotiation.ts';
import { forbiddenOrigin, type OriginRules, PREFLIGHT_HEADERS } from './origins.ts';
import type { YogaTransport } from './yoga.ts';

/** Answers an HTTP request, however it came in. Rejects only where the pipeline does. */
export type Http = (request: HttpRequest) => Maybe<HttpReply>;

export interface HttpOptions {
  pipeline: Pipeline;
  yoga: YogaTransport;
  /** Undefined: there is no page. */
  studio: Studio | undefined;
  originRules: OriginRules;
  /** Undefined: everybody is served. */
  door: Door | undefined;
  readiness(): Readiness;
  openStreams: OpenStreams;
  monotonic: Clock;
}

export function createOpenStreams(): OpenStreams & { endAll(): void } {
  const ends = new Set<() => void>();
  let isOver = false;
  return {
    add: (end) => void (isOver ? end() : ends.add(end)),
    delete: (end) => void ends.delete(end),
    has: (end) => ends.has(end),
    endAll() {
      isOver = true;
      for (const end of ends) end();
    },
  };
}

/** `accept` headers that are remembered: clients have few of them. */
const MAX_ACCEPTS = 100;

export function createHttp(options: HttpOptions): Http {
  const { pipeline, yoga, studio, originRules, door, readiness, openStreams } = options;
  const corsHeaders = createCorsHeaders(originRules);
  const embeddedRules = { ...originRules, hosts: undefined };
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
    if (studio && asksForPage(request)) return studio.page(request);
    if (!door) return admitted(request);
    const caller = door.identify(keyInHeaders(request.headers));
    if (!caller) return refused(request, refusals.unauthenticated());
    const rate = door.takeTurn(caller);
    const { name } = caller.client;
    if (!rate?.isExceeded)
      return admitted({ ...request, caller, rate, following: following(door, caller) });
    const error = refusals.tooManyOperations(name, rate.limit, rate.resetSeconds);
    return refused({ ...request, caller, rate }, error);
  }

  function admitted(request: HttpRequest): Maybe<HttpReply> {
    const rules = request.isEmbedded ? embeddedRules : originRules;
    const forbidden = forbiddenOrigin(request.headers, rules, request.caller?.client.origins);
    if (forbidden) return ask(request, refusedRequest(request, forbidden));
    const accepted = acceptedBy(request);
    const operation = operationRequest(request, accepted);
    if (isForYoga(request, accepted)) return yoga.serve(request, operation);
    return ask(request, operation);
  }

  /** Costs next to nothing, and tells nothing of the account. */
  function refused(request: HttpRequest, error: GraphQLError): HttpReply {
    const { format } = acceptedBy(request);
    const mediaType = format === 'object' ? 'application/json' : format.mediaType;
    return closedDoorReply(request, error, mediaType);
  }

  function ask(request: HttpRequest, operation: OperationRequest): Maybe<HttpReply> {
    return whenReady(pipeline(operation), (reply) =>
      reply.kind === 'text'
        ? httpReply(request, reply, options.monotonic())
        : eventStreamReply(request, reply, yoga.fetchAPI, openStreams),
    );
  }

  function asset(path: string, request: HttpRequest): Maybe<HttpReply> | undefined {
    if (!path.startsWith(STUDIO_PATH) || request.method !== 'GET') return undefined;
    return studio?.asset(path, request);
  }

  /** All other paths go to GraphQL: an id may stand in them, and a refusal carries an account. */
  function route(request: HttpRequest): Maybe<HttpReply> {
    const path = pathOf(request.url);
    if (path === PATH) return graphql(request);
    if (path === '/health') return jsonReply(200, { status: 'ok' });
    if (path !== '/ready') return asset(path, request) ?? graphql(request);
    const status = readiness();
    return jsonReply(status === 'ready' ? 200 : 503, { status });
  }

  return (request) => {
    const allowed = corsHeaders(request);
    if (!allowed) return route(request);
    const reply = preflightReply(request) ?? route(request);
    return whenReady(reply, (ready) => ({ ...ready, headers: { ...ready.headers, ...allowed } }));
  };
}

/** Streams of who has a key end with it, and spend within the budgets that the client has by then. */
export function following(door: Door, caller: Caller): Following {
  return {
    latest: () => door.again(caller)?.client,
    whenRevoked: (end) => door.whenRevoked(caller.digest, () => end(refusals.unauthenticated())),
  };
}

/** What pages of other origins may do; browsers ask before they send JSON. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': [
    'accept',
    'authorization',
    'x-api-key',
    'content-type',
    'if-none-match',
    DRY_RUN,
    CLIENT_NAME,
    'apollographql-client-version',
    ...PREFLIGHT_HEADERS,
  ].join(', '),
  'access-control-max-age': '86400',
  vary: 'Origin',
};

type CorsHeaders = (request: HttpRequest) => HttpReply['headers'] | undefined;

/**
 * The headers by which a page of another origin may read the reply; undefined where it may not. Pages of
 * origins that are listed may send cookies, which proxies in front may want; where all may ask, the
 * header does not depend on who asks, so that a cache in between may send it to everybody.
 */
function createCorsHeaders({ origins, ofClients }: OriginRules): CorsHeaders {
  const expose = {
    'access-control-expose-headers': `etag, retry-after, ratelimit, ratelimit-policy, ${USED}`,
  };
  const toAll = { ...expose, 'access-control-allow-origin': '*' };
  if (origins.includes('*')) return () => toAll;
  const credentials = { ...expose, 'access-control-allow-credentials': 'true' };
  const byOrigin = new Map(
    origins.map((origin) => [origin, { ...credentials, 'access-control-allow-origin': origin }]),
  );
  return ({ headers: { origin } }) => {
    if (origin === undefined) return undefined;
    const listed = byOrigin.get(origin);
    if (listed || !ofClients?.(origin)) return listed;
    return { ...expose, 'access-control-allow-origin': origin };
  };
}

/** The answer to a browser that asks whether it may ask; undefined for any other request. */
function preflightReply({ method, headers }: HttpRequest): HttpReply | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'];
  return isPreflight ? { status: 204, headers: PREFLIGHT, body: [] } : undefined;
}
