import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type {
  ExecutionArgs,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLError,
  GraphQLFormattedError,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { whenDone } from '../usage/operation.ts';
import { maskWith } from './masking.ts';
import type { Prepare, Prepared } from './prepare.ts';
import { noDryRun, type Surroundings } from './subscriptions.ts';
import { PATH, pathOf } from './target.ts';

export interface WebSocketOptions extends Pick<Surroundings, 'account'> {
  prepare: Prepare;
  log: Logger;
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
export function createWebSockets({ prepare, account, log }: WebSocketOptions): WebSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES });
  const runs = new WeakMap<ExecutionArgs, Prepared>();
  const mask = maskWith(log);

  async function begin(
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { operationName, variables, extensions } = payload;
    const prepared = await prepare({
      ...payload,
      operationName: operationName ?? undefined,
      variables: variables ?? undefined,
      extensions: extensions ?? undefined,
    });
    if (!('args' in prepared)) return prepared;
    runs.set(prepared.args, prepared);
    return prepared.args;
  }

  useServer(
    {
      execute: (args) => runs.get(args)?.execute(args),
      subscribe: (args) => runs.get(args)?.subscribe(args),
      onSubscribe: ({ extra: { request } }, _id, payload) =>
        request.headers['x-usage-dry-run'] === '1'
          ? [noDryRun('A WebSocket has none')]
          : begin(payload).catch((error) => [mask(error)]),
      onError: (_context, _id, _payload, errors) => errors.map(withoutStatus),
      async onNext(_context, _id, _payload, args, result) {
        const context = runs.get(args)?.context;
        if (result.extensions || !context) return result;
        await whenDone(context.operation);
        return withoutStatuses(account(result, context));
      },
    },
    sockets,
  );

  return {
    upgrade(request, socket, head) {
      if (pathOf(request) !== PATH) socket.destroy();
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

function withoutStatuses(result: ExecutionResult): FormattedExecutionResult {
  const { errors, ...others } = result;
  return errors
    ? { ...others, errors: errors.map((error) => withoutStatus(error.toJSON())) }
    : others;
}

/** The HTTP status that errors carry for Yoga means nothing here. */
function withoutStatus(error: GraphQLFormattedError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions ?? {};
  return { ...error, extensions };
}
