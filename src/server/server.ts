import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Context, Gateway } from '../graph/context.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, startOperation } from '../usage/operation.ts';
import { extensionsOf } from '../usage/report.ts';
import { useGraphQLEngine } from './engine.ts';
import type { Answers } from './answers.ts';
import { useJsonBodies } from './bodies.ts';
import type { MediaTypes } from './direct.ts';
import { type NodeContext, useExtensions } from './extensions.ts';
import { useGraphiQL } from './graphiql/plugin.ts';
import { maskWith } from './masking.ts';
import { useNegotiation } from './negotiation.ts';
import { createParseCaches } from './parse-caches.ts';
import type { Persisted } from './persisted/persisted.ts';
import { usePersisted } from './persisted/plugin.ts';
import { useDraftStatuses } from './status.ts';
import type { Surroundings } from './subscriptions.ts';
import { PATH } from './target.ts';

export interface ServerOptions {
  schema: GraphQLSchema;
  gateway: Gateway;
  answers: Answers;
  mediaTypes: MediaTypes;
  config: Config;
  persisted: Persisted;
  sandbox: boolean;
  log: Logger;
}

export type Server = YogaServerInstance<NodeContext, Context>;

export interface GraphQLServer {
  server: Server;
  /** Puts the account of an operation beside its result. */
  account: Surroundings['account'];
}

/** The GraphQL endpoint over a gateway. */
export function createServer(options: ServerOptions): GraphQLServer {
  const { schema, gateway, answers, mediaTypes, config, persisted, sandbox, log } = options;
  const { ledger, now } = gateway;
  const operations = new WeakMap<Request, Operation>();

  /** Without a request: a plain query (direct.ts), an operation over a WebSocket, or an event. */
  function begin(request?: Request): Context {
    const deadline = now() + config.operationTimeoutMs;
    const isDry = request?.headers.get('x-usage-dry-run') === '1';
    const estimate = isDry ? startEstimate() : undefined;
    const maxRequests = config.maxRequestsPerOperation;
    const operation = startOperation({ maxRequests, deadline, estimate });
    if (request) operations.set(request, operation);
    return { gateway, operation };
  }

  const operationOf = (request: Request) => operations.get(request);

  function account(result: ExecutionResult, { operation }: Context): ExecutionResult {
    return { ...result, extensions: { ...extensionsOf(ledger, operation, sandbox) } };
  }

  const server = createYoga<NodeContext, Context>({
    schema,
    context: ({ request }) => begin(request),
    graphqlEndpoint: PATH,
    landingPage: false,
    graphiql: false,
    cors: false,
    multipart: false,
    batching: false,
    parserAndValidationCache: createParseCaches(),
    maxRequestBodySize: false,
    logging: false,
    maskedErrors: { maskError: maskWith(log) },
    plugins: [
      useGraphQLEngine(schema, { begin, account }),
      useJsonBodies(),
      useNegotiation(),
      useExtensions({ ledger, answers, mediaTypes, operationOf, sandbox, now: gateway.monotonic }),
      !config.persistedOnly && useGraphiQL(PATH),
      config.draftStatuses && useDraftStatuses(),
      usePersisted(persisted),
    ],
  });
  return { server, account };
}
