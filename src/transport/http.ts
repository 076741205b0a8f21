import type { GraphQLError } from 'graphql';
import { remembered } from './remembered.ts';
import type { Authenticator } from '../clients/authenticator.ts';
import * as refusals from '../clients/refusals.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { encodingFor } from '../encoding.ts';
import { CODINGS } from '../pipeline/compression.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { OperationRequest } from '../pipeline/request.ts';
import { type Studio, STUDIO_PATH } from '../studio/serve.ts';
import {
  GRAPHQL_PATH,
  type HttpReply,
  type HttpRequest,
  jsonReply,
  type OpenStreams,
  pathOf,
} from './http-message.ts';
import { createCorsHeaders, preflightReply } from './cors.ts';
import { eventStreamReply } from './event-stream.ts';
import { httpReply, refusalReply, withRate } from './http-reply.ts';
import { mayAskForPage, operationRequest, refusedRequest } from './http-request.ts';
import type { Readiness } from './lifecycle.ts';
import { readAccept } from './negotiation.ts';
import { forbiddenReason, mayBeForeign, type OriginRules } from './origins.ts';
import type { YogaTransport } from './yoga.ts';

/** Answers an HTTP request from any transport. Rejects only if the pipeline does. */
export type Http = (request: HttpRequest) => Maybe<HttpReply>;

interface HttpOptions {
  pipeline: Pipeline;
  yoga: YogaTransport;
  /** Undefined: there is no page. */
  studio: Studio | undefined;
  originRules: OriginRules;
  /** Undefined: clients need no key. */
  authenticator: Authenticator | undefined;
  readiness(): Readiness;
  openStreams: OpenStreams;
}

export function createOpenStreams(): OpenStreams & { endAll(): void; count(): number } {
  const ends = new Set<() => void>();
  let isOver = false;
  return {
    add: (end) => void (isOver ? end() : ends.add(end)),
    delete: (end) => void ends.delete(end),
    has: (end) => ends.has(end),
    count: () => ends.size,
    endAll() {
      isOver = true;
      for (const end of ends) end();
    },
  };
}

/** A redirect to the Studio. It is relative, so it works below any path that a proxy puts in front. */
const redirectTo = (location: string): HttpReply => ({
  status: 302,
  headers: { location, vary: 'accept', 'content-length': 0 },
  body: [],
});

const FROM_ROOT = redirectTo(GRAPHQL_PATH.slice(1));

/** Below `/graphql/` the page would look for its files in the wrong place. */
const fromSlash = (url: string) => redirectTo(`..${GRAPHQL_PATH}${url.replace(/^[^?]*/, '')}`);

export function createHttp(options: HttpOptions): Http {
  const { pipeline, yoga, studio, originRules, authenticator, readiness, openStreams } = options;
  const corsHeaders = createCorsHeaders(originRules);
  const embeddedRules = { ...originRules, hosts: undefined };
  const acceptOf = remembered(readAccept);
  /** Clients that send no `accept` header accept everything. */
  const acceptedBy = ({ headers: { accept } }: HttpRequest) => acceptOf(accept || '*/*');
  const codingFor = remembered((header) => encodingFor(header, CODINGS));
  /** Clients that send no `accept-encoding` header get no compression. */
  const codingOf = ({ headers }: HttpRequest) => codingFor(headers['accept-encoding'] ?? '');

  function serveGraphQL(request: HttpRequest): Maybe<HttpReply> {
    if (!authenticator) return serveAdmitted(request);
    const caller = authenticator.identifyIn(request.headers);
    if (!caller) return refusalFor(request, refusals.unauthenticated());
    const rate = authenticator.countOperation(caller.client);
    if (!rate) return serveAdmitted({ ...request, caller });
    const { isExceeded, limit, resetSeconds } = rate;
    const reply = isExceeded
      ? refusalFor(request, refusals.tooManyOperations(caller.client.name, limit, resetSeconds))
      : serveAdmitted({ ...request, caller });
    return whenReady(reply, (ready) => withRate(ready, rate));
  }

  function serveAdmitted(request: HttpRequest): Maybe<HttpReply> {
    const rules = request.isEmbedded ? embeddedRules : originRules;
    const { headers, method, caller } = request;
    // Pages of other sites do not have a key.
    const isForeign = !caller && method === 'GET' && mayBeForeign(headers, rules);
    const byHeaders = forbiddenReason(headers, rules, caller?.client.origins);
    const forbidden = byHeaders ?? (isForeign ? 'origin' : undefined);
    if (forbidden) return runOperation(request, refusedRequest(request, forbidden));
    const accepted = acceptedBy(request);
    const operation = operationRequest(request, accepted);
    return accepted.acceptsOnlyMultipart
      ? yoga.serve(request, operation)
      : runOperation(request, operation);
  }

  /** A refusal that costs next to nothing and reveals nothing of the account. */
  function refusalFor(request: HttpRequest, error: GraphQLError): HttpReply {
    return refusalReply(error, acceptedBy(request).format);
  }

  function runOperation(request: HttpRequest, operation: OperationRequest): Maybe<HttpReply> {
    return whenReady(pipeline(operation), (reply): Maybe<HttpReply> => {
      if (reply.kind === 'text') return httpReply(request, reply, codingOf(request));
      if (reply.kind === 'refused') return refusalReply(reply.error, operation.format, reply.text);
      return eventStreamReply(request, reply, yoga.fetchAPI, openStreams);
    });
  }

  /** Serves the Studio's page and files; undefined if the request is for something else. */
  function servePage(path: string, request: HttpRequest): Maybe<HttpReply> | undefined {
    if (!studio || request.method !== 'GET') return undefined;
    if (path.startsWith(STUDIO_PATH)) return studio.asset(path, request);
    if (!mayAskForPage(request, path) || !acceptedBy(request).isPage) return undefined;
    if (path === GRAPHQL_PATH) return studio.page(request);
    return path === '/' ? FROM_ROOT : fromSlash(request.url);
  }

  /** All other paths go to GraphQL: they may contain an operation's id, and even a refusal carries an account. */
  function route(request: HttpRequest): Maybe<HttpReply> {
    const path = pathOf(request.url);
    if (path === '/health') return jsonReply(200, { status: 'ok' });
    if (path !== '/ready') return servePage(path, request) ?? serveGraphQL(request);
    const status = readiness();
    return jsonReply(status === 'ready' ? 200 : 503, { status });
  }

  function serve(request: HttpRequest): Maybe<HttpReply> {
    const allowed = corsHeaders(request);
    if (!allowed) return route(request);
    const reply = preflightReply(request) ?? route(request);
    return whenReady(reply, (ready) => ({ ...ready, headers: { ...ready.headers, ...allowed } }));
  }

  /** Serves a GET without its body (RFC 9110 section 9.3.2). Only JSON can state its cost there: the rest is refused. */
  function serveHead(request: HttpRequest): Maybe<HttpReply> {
    const { format, acceptsOnlyMultipart } = acceptedBy(request);
    if (format === 'object' || acceptsOnlyMultipart) return serve(request);
    return whenReady(serve({ ...request, method: 'GET', isHead: true }), withoutBody);
  }

  return (request) => (request.method === 'HEAD' ? serveHead(request) : serve(request));
}

function withoutBody(reply: HttpReply): HttpReply {
  if (reply.body instanceof ReadableStream) void reply.body.cancel();
  return { ...reply, body: [] };
}
