import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Context, Gateway } from '../graph/context.ts';
import { schema } from '../schema.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, startOperation } from '../usage/operation.ts';
import { useGraphQLEngine } from './engine.ts';
import type { Answers } from './answers.ts';
import { type NodeContext, useExtensions } from './extensions.ts';
import { useGraphiQL } from './graphiql/plugin.ts';
import { maskWith } from './masking.ts';
import type { Persisted } from './persisted/persisted.ts';
import { usePersisted } from './persisted/plugin.ts';

export interface ServerOptions {
  gateway: Gateway;
  answers: Answers;
  config: Config;
  persisted: Persisted;
  sandbox: boolean;
  log: Logger;
}

export type Server = YogaServerInstance<NodeContext, Context>;

const PATH = '/graphql';

/** The GraphQL endpoint over a gateway. */
export function createServer(options: ServerOptions): Server {
  const { gateway, answers, config, persisted, sandbox, log } = options;
  const { ledger, now } = gateway;
  const operations = new WeakMap<Request, Operation>();

  function beginOperation(request: Request): Operation {
    const deadline = now() + config.operationTimeoutMs;
    const estimate = request.headers.get('x-usage-dry-run') === '1' ? startEstimate() : undefined;
    const maxRequests = config.maxRequestsPerOperation;
    const operation = startOperation({ maxRequests, deadline, estimate });
    operations.set(request, operation);
    return operation;
  }

  return createYoga<NodeContext, Context>({
    schema,
    context: ({ request }) => ({ gateway, operation: beginOperation(request) }),
    graphqlEndpoint: PATH,
    landingPage: false,
    graphiql: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: false,
    logging: false,
    maskedErrors: { maskError: maskWith(log) },
    plugins: [
      useGraphQLEngine(),
      useExtensions({ ledger, answers, operationOf: (r) => operations.get(r), sandbox, now }),
      !config.persistedOnly && useGraphiQL(PATH),
      usePersisted(persisted),
    ],
  });
}
