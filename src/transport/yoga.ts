import type { ExecutionResult } from 'graphql';
import { createYoga, type FetchAPI, type Plugin, processRegularResult } from 'graphql-yoga';
import type { Replies } from '../pipeline/reply.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { OperationRequest } from '../pipeline/request.ts';
import { GRAPHQL_PATH, type HttpReply, type HttpRequest } from './http-message.ts';
import { cachingHeaders, replyOf } from './http-reply.ts';

/** Yoga writes multipart results and server-sent events. The operation itself goes through the pipeline. */
export interface YogaTransport {
  fetchAPI(): FetchAPI;
  serve(request: HttpRequest, operation: OperationRequest): Promise<HttpReply>;
}

/** The context that Yoga passes on to the plugin. */
interface YogaContext {
  http: HttpRequest;
  operation: OperationRequest;
}

export function createYogaTransport(pipeline: Pipeline, replies: Replies): YogaTransport {
  const pipelinePlugin: Plugin<object, YogaContext> = {
    onParams({ setParamsHandler, context: { http, operation } }) {
      setParamsHandler(async () => {
        const reply = await pipeline({ ...operation, key: undefined, format: 'object' });
        if (reply.kind === 'refused') return { errors: [reply.error] };
        if (reply.kind !== 'object') throw new TypeError('Expected an object reply');
        return withHeaders(reply.result, cachingHeaders(http, reply.freshForMs));
      });
    },
    /** A result of an operation that has not run is sent as JSON, with an account. */
    onResultProcess({ result, setResult, setResultProcessor }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || 'data' in result) return;
      const extensions = { ...replies.account(result).extensions(), ...result.extensions };
      setResult({ ...result, extensions });
      setResultProcessor(processRegularResult, 'application/json');
    },
  };
  // Created when first needed: it loads Node's `fetch`.
  let yogaServer: ReturnType<typeof createServer> | undefined;
  const server = () => (yogaServer ??= createServer(pipelinePlugin));

  return {
    fetchAPI: () => server().fetchAPI,
    async serve(http, operation) {
      return replyOf(await server().fetch(placeholderRequest(), { http, operation }));
    },
  };
}

const createServer = (plugin: Plugin<object, YogaContext>) =>
  createYoga<YogaContext>({
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    graphiql: false,
    cors: false,
    batching: false,
    maxRequestBodySize: false,
    logging: false,
    // Node's own classes, so that the other transports recognize what Yoga makes with them.
    fetchAPI: { Request, Response, ReadableStream },
    plugins: [plugin],
  });

function withHeaders(result: ExecutionResult, headers: object): ExecutionResult {
  return { ...result, extensions: { ...result.extensions, http: { headers } } };
}

/** A stand-in for the request: the pipeline reads what was sent and knows what its client accepts; Yoga only writes. */
const placeholderRequest = () =>
  new Request(`http://localhost${GRAPHQL_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'multipart/mixed' },
    body: '{"query":""}',
  });
