import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { Context } from '../graph/context.ts';
import { whenDone } from '../usage/operation.ts';
import type { Persisted } from './persisted/persisted.ts';
import type { Server } from './server.ts';
import type { Surroundings } from './subscriptions.ts';

export interface WebSocketOptions extends Pick<Surroundings, 'account'> {
  server: Server;
  persisted: Persisted;
}

export interface WebSockets {
  /** Takes over a connection that asks for the graphql-transport-ws protocol on /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/** A far longer message is no operation. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** How long a client may take to say goodbye. */
const PATIENCE_MS = 1000;

/** GraphQL over WebSocket (graphql-ws): the same operations, with the same account of them. */
export function createWebSockets({ server, persisted, account }: WebSocketOptions): WebSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES });
  const runs = new WeakMap<ExecutionArgs, Run>();

  /** The way of an HTTP request, without HTTP. */
  async function prepare(
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { operationName, variables, extensions } = payload;
    const named = { ...payload, operationName: operationName ?? undefined };
    const resolved = persisted.resolve({
      ...named,
      variables: variables ?? undefined,
      extensions: extensions ?? undefined,
    });
    if (resolved instanceof GraphQLError) return [resolved];
    const { parse, validate, contextFactory, schema, execute, subscribe } = server.getEnveloped({});
    const document = parse(resolved.query ?? '');
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    const contextValue: Context = await contextFactory();
    const args = { schema, document, operationName, variableValues: variables, contextValue };
    runs.set(args, { execute, subscribe, context: contextValue });
    return args;
  }

  useServer(
    {
      execute: (args) => runs.get(args)?.execute(args),
      subscribe: (args) => runs.get(args)?.subscribe(args),
      onSubscribe: (_context, _id, payload) =>
        prepare(payload).catch((error: unknown) => {
          if (error instanceof GraphQLError) return [error];
          throw error;
        }),
      onError: (_context, _id, _payload, errors) => errors.map(withoutStatus),
      async onNext(_context, _id, _payload, args, result) {
        const context = runs.get(args)?.context;
        if (result.extensions || !context) return result;
        await whenDone(context.operation);
        return account(result, context);
      },
    },
    sockets,
  );

  return {
    upgrade(request, socket, head) {
      if (request.url?.split('?', 1)[0] !== '/graphql') socket.destroy();
      else
        sockets.handleUpgrade(request, socket, head, (client) => {
          sockets.emit('connection', client, request);
        });
    },
    close() {
      for (const client of sockets.clients) {
        client.close(1001, 'Going away');
        setTimeout(() => client.terminate(), PATIENCE_MS).unref();
      }
      sockets.close();
    },
  };
}

/** How one operation runs, and on what. */
interface Run extends Pick<ReturnType<Server['getEnveloped']>, 'execute' | 'subscribe'> {
  context: Context;
}

/** The HTTP status that errors carry for Yoga means nothing here. */
function withoutStatus(error: GraphQLFormattedError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions ?? {};
  return { ...error, extensions };
}
