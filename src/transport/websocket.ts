import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  parse,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { readParameters } from '../documents/parameters.ts';
import { noDryRun } from '../documents/refusals.ts';
import { errorJson } from '../pipeline/reply.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { EventsReply, ObjectReply, OperationRequest } from '../pipeline/request.ts';
import { headerOf, originForm, PATH, pathOf } from './http-message.ts';
import { asksForDryRun, DRY_RUN } from './http-request.ts';

export interface WebSockets {
  /** Takes over a connection that asks for the graphql-transport-ws protocol on /graphql. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/** A far longer message is no operation. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** How long a client may take to answer that the connection is closed. */
const CLOSE_TIMEOUT_MS = 1000;

/** Stands for every operation: the library only looks at a document to choose who executes it. */
const ANY_DOCUMENT = parse('{ __typename }');

/** GraphQL over WebSocket (graphql-ws) as a transport: messages to requests, replies to messages. */
export function createWebSockets(pipeline: Pipeline, schema: GraphQLSchema): WebSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES });
  const replies = new WeakMap<ExecutionArgs, ObjectReply | EventsReply>();

  /** The library is told of a refusal by its errors, and otherwise that there is something to execute. */
  async function subscribe(request: IncomingMessage, payload: SubscribePayload) {
    const reply = await pipeline(operationRequest(request, payload));
    if (reply.kind === 'text') throw new TypeError('An object was asked for');
    const isRefused = reply.kind === 'object' && !('data' in reply.result);
    if (isRefused) return reply.result.errors;
    const args: ExecutionArgs = { schema, document: ANY_DOCUMENT };
    replies.set(args, reply);
    return args;
  }

  useServer(
    {
      onSubscribe: ({ extra: { request } }, _id, payload) => subscribe(request, payload),
      execute: (args) => resultOf(replies.get(args)!),
      onNext: (_context, _id, _payload, _args, result) => formatted(result),
      onError: (_context, _id, _payload, errors) => errors.map(errorJson),
    },
    sockets,
  );

  return {
    upgrade(request, socket, head) {
      if (pathOf(originForm(request.url)) !== PATH) socket.destroy();
      else
        sockets.handleUpgrade(request, socket, head, (client) => {
          sockets.emit('connection', client, request);
        });
    },
    close() {
      for (const client of sockets.clients) {
        client.close(1001, 'Going away');
        setTimeout(() => client.terminate(), CLOSE_TIMEOUT_MS).unref();
      }
      sockets.close();
    },
  };
}

function operationRequest(request: IncomingMessage, payload: SubscribePayload): OperationRequest {
  const { headers, socket } = request;
  return {
    key: undefined,
    read() {
      if (asksForDryRun(headerOf(headers, DRY_RUN))) throw noDryRun('A WebSocket has none');
      return readParameters(payload);
    },
    method: 'POST',
    clientName: undefined,
    address: socket.remoteAddress ?? '',
    isDry: false,
    eventsNeed: undefined,
    format: 'object',
  };
}

function resultOf(reply: ObjectReply | EventsReply) {
  return reply.kind === 'events' ? reply.events : reply.result;
}

function formatted(result: ExecutionResult): FormattedExecutionResult {
  const { errors, ...others } = result;
  return errors ? { ...others, errors: errors.map(errorJson) } : others;
}

/** Any other `upgrade` is ignored (RFC 9110 section 7.8): curl, for one, offers HTTP/2 by itself. */
export function isForWebSocket({ method, url, headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && method === 'GET' && pathOf(originForm(url)) === PATH;
}
