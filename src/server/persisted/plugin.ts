import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { NodeContext } from '../extensions.ts';
import { CLIENT_NAME, readPath, readSearch, withoutIds, withPath } from './parameters.ts';
import type { Persisted } from './persisted.ts';

interface Pending {
  hash: string;
  query: string;
  client: string;
}

/**
 * Serves persisted operations: puts the text in the place of its id before anything else looks at
 * the parameters. It must be the last plugin with an `onRequest`, since it ends that round for the
 * path form.
 */
export function usePersisted({ resolve, register }: Persisted): Plugin<object, NodeContext> {
  const pending = new WeakMap<Request, Pending>();

  return {
    /** Yoga itself would answer 404 to any path below its endpoint. */
    onRequest({ request, requestHandler, serverContext, endResponse }) {
      if (!readPath(request.url)) return undefined;
      return Promise.resolve(requestHandler(request, serverContext)).then(endResponse);
    },
    onRequestParse({ request, setRequestParser }) {
      if (request.method === 'GET') setRequestParser(({ url }) => readSearch(url));
      const path = readPath(request.url);
      if (!path) return undefined;
      return {
        onRequestParseDone({ requestParserResult: parameters, setRequestParserResult }) {
          if (!Array.isArray(parameters)) setRequestParserResult(withPath(parameters, path));
        },
      };
    },
    onParams({ request, params, setParams, context }) {
      const resolved = resolve(params, request.headers.get(CLIENT_NAME) ?? undefined);
      if (resolved instanceof GraphQLError) throw resolved;
      const { query, registers } = resolved;
      if (registers && query) {
        const { req } = context;
        // Whose share of the store it takes; requests without a socket are one client.
        const client = req?.socket.remoteAddress ?? '';
        pending.set(request, { hash: registers, query, client });
        // A kept answer would be sent without registering anything.
        if (req) req.answerKey = undefined;
      }
      const known = withoutIds(params);
      const next = query === undefined || query === params.query ? known : { ...known, query };
      if (next !== params) setParams(next);
    },
    /** Only now is it known that the text fits the schema. */
    onValidate({ context: { request } }) {
      const waiting = request && pending.get(request);
      if (!waiting) return undefined;
      return ({ valid }) => {
        if (valid) register(waiting.hash, waiting.query, waiting.client);
      };
    },
  };
}
