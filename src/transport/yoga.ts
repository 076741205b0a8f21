import type { ExecutionResult } from 'graphql';
import { createYoga, type FetchAPI, type Plugin, processRegularResult } from 'graphql-yoga';
import { readParameters, withPath } from '../documents/parameters.ts';
import type { Replies } from '../pipeline/reply.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { OperationRequest } from '../pipeline/request.ts';
import type { Clock } from '../time.ts';
import { type HttpReply, type HttpRequest, PATH } from './http-message.ts';
import { cachingHeaders, replyOf } from './http-reply.ts';

/**
 * Yoga reads and writes what is no plain JSON: forms, bare documents, multipart results, server-sent
 * events. The operation itself goes through the pipeline.
 */
export interface YogaTransport {
  fetchAPI: FetchAPI;
  serve(request: HttpRequest, operation: OperationRequest): Promise<HttpReply>;
}

export interface YogaOptions {
  pipeline: Pipeline;
  replies: Replies;
  monotonic: Clock;
}

/** What Yoga hands through to the plugin. */
interface Passed {
  http: HttpRequest;
  operation: OperationRequest;
}

export function createYogaTransport({ pipeline, replies, monotonic }: YogaOptions): YogaTransport {
  const throughPipeline: Plugin<object, Passed> = {
    onParams({ params, setParams, setParamsHandler, context: { http, operation } }) {
      // The pipeline checks what was sent: Yoga's own check need only pass.
      setParams({ query: '' });
      setParamsHandler(async () => {
        const reply = await pipeline({
          ...operation,
          read: () => withPath(readParameters(params), http.url),
          key: undefined,
          format: 'object',
        });
        if (reply.kind === 'events') return reply.events;
        if (reply.kind === 'refused') return { errors: [reply.error] };
        if (reply.kind === 'text') throw new TypeError('An object was asked for');
        return withHeaders(reply.result, cachingHeaders(http, reply.freshUntil, monotonic()));
      });
    },
    /** What Yoga itself refuses carries an account, too; what has not run is told in JSON. */
    onResultProcess({ result, setResult, setResultProcessor }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || 'data' in result) return;
      const extensions = { ...replies.account(result).extensions(), ...result.extensions };
      setResult({ ...result, extensions });
      setResultProcessor(processRegularResult, 'application/json');
    },
  };
  const server = createYoga<Passed>({
    graphqlEndpoint: `${PATH}{/*}?`,
    landingPage: false,
    graphiql: false,
    cors: false,
    batching: false,
    maxRequestBodySize: false,
    logging: false,
    // Node's own classes: what Yoga makes with them is what the other transports know.
    fetchAPI: { Request, Response, ReadableStream },
    plugins: [throughPipeline],
  });

  return {
    fetchAPI: server.fetchAPI,
    async serve(http, operation) {
      return replyOf(await server.fetch(requestOf(http), { http, operation }));
    },
  };
}

function withHeaders(result: ExecutionResult, headers: object): ExecutionResult {
  return { ...result, extensions: { ...result.extensions, http: { headers } } };
}

function requestOf({ method, url, headers, body }: HttpRequest): Request {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const init = { method, headers: sent, ...(method === 'POST' && { body: body ?? '' }) };
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, init);
}
