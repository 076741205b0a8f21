import { type Maybe, whenReady } from '../graph/maybe.ts';
import type { ServePage } from '../graphiql/serve.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Clock } from '../time.ts';
import { type AllowOrigin, preflightReply } from './cors.ts';
import { type HttpReply, type HttpRequest, jsonReply, PATH, pathOf } from './http-message.ts';
import { httpReply } from './http-reply.ts';
import { asksForPage, isForYoga, operationRequest } from './http-request.ts';
import { acceptedBy } from './negotiation.ts';
import type { YogaTransport } from './yoga.ts';

/** Answers an HTTP request, however it came in. Rejects only where the pipeline does. */
export type Http = (request: HttpRequest) => Maybe<HttpReply>;

export interface HttpOptions {
  pipeline: Pipeline;
  yoga: YogaTransport;
  /** Undefined: there is no page. */
  servePage: ServePage | undefined;
  allowOrigin: AllowOrigin;
  /** Of the list that says what ids stand for. */
  listVersion(): number;
  isReady(): boolean;
  now: Clock;
}

export function createHttp(options: HttpOptions): Http {
  const { pipeline, yoga, servePage, allowOrigin, listVersion, isReady, now } = options;

  /** A plain query goes straight to the pipeline; Yoga reads and writes all other forms of it. */
  function graphql(request: HttpRequest): Maybe<HttpReply> {
    if (servePage && asksForPage(request)) return servePage(request);
    const accepted = acceptedBy(request.headers.accept);
    const operation = operationRequest(request, accepted, listVersion());
    if (isForYoga(request, accepted)) return yoga.serve(request, operation);
    return whenReady(pipeline(operation), (reply) =>
      reply.kind === 'text' ? httpReply(request, reply, now()) : yoga.stream(reply),
    );
  }

  function route(request: HttpRequest): Maybe<HttpReply> {
    const path = pathOf(request.url);
    if (path === PATH) return graphql(request);
    if (path === '/health') return jsonReply(200, { status: 'ok' });
    if (path !== '/ready') return graphql(request);
    return isReady() ? jsonReply(200, { status: 'ready' }) : jsonReply(503, { status: 'stopping' });
  }

  return (request) => {
    const allowed = allowOrigin(request);
    if (!allowed) return route(request);
    const reply = preflightReply(request) ?? route(request);
    return whenReady(reply, (ready) => ({ ...ready, headers: { ...ready.headers, ...allowed } }));
  };
}
