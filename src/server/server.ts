import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Context, Gateway } from '../graph/context.ts';
import { schema } from '../schema.ts';
import { startEstimate } from '../usage/estimate.ts';
import { type Operation, startOperation } from '../usage/operation.ts';
import { useGraphQLEngine } from './engine.ts';
import { useExtensions } from './extensions.ts';
import { maskWith } from './masking.ts';
import type { Persisted } from './persisted/persisted.ts';
import { usePersisted } from './persisted/plugin.ts';

export interface ServerOptions {
  gateway: Gateway;
  config: Config;
  persisted: Persisted;
  sandbox: boolean;
  log: Logger;
}

export type Server = YogaServerInstance<object, Context>;

/** The GraphQL endpoint over a gateway. */
export function createServer({ gateway, config, persisted, sandbox, log }: ServerOptions): Server {
  const operations = new WeakMap<Request, Operation>();

  function beginOperation(request: Request): Operation {
    const deadline = gateway.now() + config.operationTimeoutMs;
    const estimate = request.headers.get('x-usage-dry-run') === '1' ? startEstimate() : undefined;
    const maxRequests = config.maxRequestsPerOperation;
    const operation = startOperation({ maxRequests, deadline, estimate });
    operations.set(request, operation);
    return operation;
  }

  return createYoga<object, Context>({
    schema,
    context: ({ request }) => ({ gateway, operation: beginOperation(request) }),
    graphqlEndpoint: '/graphql',
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
      useExtensions({ ledger: gateway.ledger, operationOf: (r) => operations.get(r), sandbox }),
      usePersisted(persisted),
    ],
  });
}
