import { setImmediate } from 'node:timers/promises';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  parse,
} from 'graphql';
import { type Context, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import { headersIn, type InitPayload } from '../clients/init-payload.ts';
import { readParameters } from '../documents/parameters.ts';
import { noDryRun, unexpected } from '../documents/refusals.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { errorJson, resultJson } from '../pipeline/result-json.ts';
import type { EventsReply, ObjectReply, OperationRequest } from '../pipeline/request.ts';
import { traceHeadersIn } from '../trace.ts';
import { headerOf } from './http-message.ts';
import { asksForDryRun, CLIENT_NAME, DRY_RUN } from './http-request.ts';
import type { Connection } from './socket.ts';
import type { SocketAdmission } from './socket-admission.ts';

/** Stands for every operation: the library needs a document only to choose between `execute` and `subscribe`. */
const PLACEHOLDER_DOCUMENT = parse('{ __typename }');

/** An operation that has begun, until its last message has been sent. */
interface RunningOperation {
  reply: ObjectReply | EventsReply;
  end(): void;
}

type SocketContext = Context<Record<string, unknown> | undefined, Connection>;

interface ProtocolOptions {
  pipeline: Pipeline;
  schema: GraphQLSchema;
  /** Maximum open subscriptions of one WebSocket. */
  maxSubscriptions: number;
  admission: SocketAdmission;
}

/**
 * The graphql-transport-ws protocol: turns messages into requests to the pipeline, and replies into messages.
 * The library is given the errors of a refusal, and for anything else something to execute.
 */
export function createProtocol(options: ProtocolOptions): Server<Connection> {
  const { pipeline, schema, maxSubscriptions, admission } = options;
  const running = new WeakMap<SubscribePayload, RunningOperation>();
  const payloadOf = new WeakMap<ExecutionArgs, SubscribePayload>();

  /** Runs an operation. A subscription frees its slot once it has begun: then only `maxSubscriptions` applies. */
  async function begin(
    connection: Connection,
    id: string,
    releaseSlot: () => void,
  ): Promise<readonly GraphQLError[] | RunningOperation> {
    const refused = admission.refusal(connection);
    if (refused) return [refused];
    const reply = await pipeline(operationRequest(connection, id));
    if (reply.kind === 'refused') return [reply.error];
    if (reply.kind === 'text') throw new TypeError('Expected an object reply');
    if (reply.kind === 'object')
      return 'data' in reply.result ? { reply, end: releaseSlot } : (reply.result.errors ?? []);
    // A subscription that the client has just completed may still be ending.
    if (connection.subscriptions >= maxSubscriptions) await setImmediate();
    if (connection.subscriptions >= maxSubscriptions) {
      await reply.events.return?.();
      return [tooManySubscriptions(maxSubscriptions)];
    }
    connection.subscriptions += 1;
    releaseSlot();
    return { reply, end: () => void (connection.subscriptions -= 1) };
  }

  async function subscribe(context: SocketContext, id: string, payload: SubscribePayload) {
    const releaseSlot = await context.extra.acquireSlot();
    let operation: RunningOperation | undefined;
    try {
      // The client may have completed the operation while it waited.
      const outcome =
        id in context.subscriptions ? await begin(context.extra, id, releaseSlot) : [];
      if (!('reply' in outcome)) return outcome.length > 0 ? outcome : [unexpected()];
      operation = outcome;
    } finally {
      if (!operation) releaseSlot();
    }
    const args: ExecutionArgs = { schema, document: PLACEHOLDER_DOCUMENT };
    running.set(payload, operation);
    payloadOf.set(args, payload);
    return args;
  }

  return makeServer<Record<string, unknown> | undefined, Connection>({
    onConnect(context) {
      const { extra: connection, connectionParams } = context;
      const { headers } = connection.request;
      connection.clientName = clientNameIn(connectionParams) ?? headerOf(headers, CLIENT_NAME);
      connection.isDry = isDryIn(connectionParams) || asksForDryRun(headerOf(headers, DRY_RUN));
      connection.isAcknowledged = admission.admits(connection, connectionParams);
      // The rest of the payload is not needed, and would be kept as long as the connection.
      Object.assign(context, { connectionParams: undefined });
      return connection.isAcknowledged;
    },
    onSubscribe: subscribe,
    execute(args) {
      const { reply } = running.get(payloadOf.get(args)!)!;
      return reply.kind === 'events' ? reply.events : noEvents();
    },
    // Large data are JSON text already, which the library would parse and serialize again.
    async onOperation(context, id, payload) {
      const { reply } = running.get(payload)!;
      if (reply.kind === 'object' && id in context.subscriptions)
        await context.extra.send(nextMessage(id, reply));
    },
    onComplete: (_context, _id, payload) => running.get(payload)?.end(),
    onNext: (_context, _id, _payload, _args, result) => formatResult(result),
    onError: (_context, _id, _payload, errors) => errors.map(errorJson),
  });
}

function tooManySubscriptions(max: number): GraphQLError {
  const message = `This WebSocket has ${max} open subscriptions; no more are allowed (MAX_SUBSCRIPTIONS_PER_SOCKET).`;
  return new GraphQLError(message, {
    extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', retryable: true },
  });
}

/** A subscription may be open for days: once its payload has been read, nothing here keeps it. */
function operationRequest(connection: Connection, id: string): OperationRequest {
  const { address, caller, payloads } = connection;
  const client = caller?.latest();
  return {
    key: undefined,
    read() {
      if (connection.isDry) throw noDryRun('Dry runs are not available over WebSocket');
      const payload = payloads.get(id);
      payloads.delete(id);
      return readParameters(payload);
    },
    method: 'POST',
    clientName: connection.clientName,
    party: client?.name ?? address,
    client,
    caller,
    isDry: false,
    traceHeaders: traceHeadersIn(payloads.get(id)?.extensions ?? {}),
    requiredEventType: undefined,
    format: 'object',
  };
}

function clientNameIn(init: InitPayload): string | undefined {
  const names = headersIn(init).map((sent) => sent.get(CLIENT_NAME) ?? sent.get('clientname'));
  return names.find((name) => typeof name === 'string');
}

/** A payload may have a boolean or a number where a header has a text. */
function isDryIn(init: InitPayload): boolean {
  const asked = headersIn(init).map((sent) => sent.get(DRY_RUN));
  return asked.some((one) => (typeof one === 'string' ? asksForDryRun(one) : Boolean(one)));
}

async function* noEvents(): AsyncGenerator<never> {}

function nextMessage(id: string, { result }: ObjectReply): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":${resultJson(result)}}`;
}

function formatResult(result: ExecutionResult): FormattedExecutionResult {
  const { errors, ...others } = result;
  return errors ? { ...others, errors: errors.map(errorJson) } : others;
}
