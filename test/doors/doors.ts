import { createClient, type SubscribePayload } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Bench } from '../harness.ts';
import { readReply, type Reply } from '../reply.ts';
import type { Asked } from './operations.ts';

/** Doors: the ways in which an operation can reach the gateway. */

export interface Answered {
  data: unknown;
  errors: Reply['errors'];
  /** Undefined if the transport has no room for them: in the error message of graphql-transport-ws. */
  extensions: Reply['extensions'] | undefined;
}

/** The parts of an answer that must not depend on the door. */
export function outcome({ data, errors, extensions }: Answered) {
  const reported = errors.map(({ message, path, extensions: { code } }) => ({
    message,
    path,
    code,
  }));
  return { data, errors: reported, usage: extensions?.usage, warnings: extensions?.warnings };
}

export interface Door {
  name: string;
  supports(asked: Asked): boolean;
  ask(bench: Bench, asked: Asked): Promise<Answered>;
}

const JSON_TYPE = 'application/json';
const RESPONSE_TYPE = 'application/graphql-response+json';
export const EVENTS = 'text/event-stream';

export type Fetch = (request: Request) => Promise<Response>;
export const overNetwork: Fetch = (request) => fetch(request);

function headersOf({ dry }: Asked, accept: string): Record<string, string> {
  return { accept, ...(dry && { 'x-usage-dry-run': '1' }) };
}

export function post({ url }: Bench, asked: Asked, accept: string): Request {
  const { dry: _dry, ...body } = asked;
  const headers = { ...headersOf(asked, accept), 'content-type': JSON_TYPE };
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Builds a GET request; parameters that are not strings are sent as JSON. */
export function get({ url }: Bench, asked: Asked, accept: string, path = ''): Request {
  const { dry: _dry, ...parameters } = asked;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return new Request(`${url}${path}?${String(search)}`, { headers: headersOf(asked, accept) });
}

async function inJson(bench: Bench, send: Fetch, request: Request): Promise<Answered> {
  const response = await send(request);
  const text = await response.text();
  const reply = readReply(response.status, text);
  bench.noteReply(reply, text);
  return reply;
}

/** A query is answered by one event and the end of the stream ("distinct connections mode"). */
async function inEvents(bench: Bench, send: Fetch, request: Request): Promise<Answered> {
  const response = await send(request);
  const text = await response.text();
  const type = response.headers.get('content-type');
  const [, data] = /^(?::[^\n]*\n\n)*event: next\ndata: (.*)\n\nevent: complete/s.exec(text) ?? [];
  if (!type?.startsWith(EVENTS) || data === undefined) throw new Error(`no event: ${type} ${text}`);
  const reply = readReply(response.status, data);
  bench.noteReply(reply, text);
  return reply;
}

/** Every operation is sent with a query, if need be an empty one, since the protocol requires it. */
export async function overWebSocket(bench: Bench, asked: Asked): Promise<Answered> {
  const url = bench.url.replace('http', 'ws');
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  const payload = { query: '', ...asked } as SubscribePayload;
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  client.subscribe(payload, {
    next(event) {
      const text = JSON.stringify(event);
      const reply = readReply(200, text);
      bench.noteReply(reply, text);
      resolve(reply);
    },
    error(error) {
      if (!Array.isArray(error)) return reject(error);
      resolve({ data: undefined, errors: error as Reply['errors'], extensions: undefined });
    },
    complete: () => reject(new Error('no answer')),
  });
  try {
    return await promise;
  } finally {
    await client.dispose();
  }
}

const idOf = ({ documentId }: Asked) => String(documentId);

export const DOORS: readonly Door[] = [
  {
    name: 'POST, as the first request',
    supports: () => true,
    ask: (bench, asked) => inJson(bench, overNetwork, post(bench, asked, JSON_TYPE)),
  },
  {
    name: 'POST, after another one with the same Accept header',
    supports: () => true,
    async ask(bench, asked) {
      const other = { query: '{ before: __typename }' };
      await inJson(bench, overNetwork, post(bench, other, JSON_TYPE));
      return inJson(bench, overNetwork, post(bench, asked, JSON_TYPE));
    },
  },
  {
    name: `POST, accepting ${RESPONSE_TYPE}`,
    supports: () => true,
    ask: (bench, asked) => inJson(bench, overNetwork, post(bench, asked, RESPONSE_TYPE)),
  },
  {
    name: 'GET',
    supports: () => true,
    ask: (bench, asked) => inJson(bench, overNetwork, get(bench, asked, JSON_TYPE)),
  },
  {
    name: 'GET /graphql/<id>',
    supports: ({ documentId }) => documentId !== undefined,
    ask(bench, asked) {
      const { documentId: _id, ...others } = asked;
      const request = get(bench, others, JSON_TYPE, `/${idOf(asked)}`);
      return inJson(bench, overNetwork, request);
    },
  },
  {
    name: 'app.fetch, POST',
    supports: () => true,
    ask: (bench, asked) => inJson(bench, bench.fetch, post(bench, asked, JSON_TYPE)),
  },
  {
    name: 'app.fetch, GET',
    supports: () => true,
    ask: (bench, asked) => inJson(bench, bench.fetch, get(bench, asked, JSON_TYPE)),
  },
  {
    name: 'SSE, POST',
    supports: () => true,
    ask: (bench, asked) => inEvents(bench, overNetwork, post(bench, asked, EVENTS)),
  },
  {
    name: 'SSE, GET',
    supports: () => true,
    ask: (bench, asked) => inEvents(bench, overNetwork, get(bench, asked, EVENTS)),
  },
  {
    name: 'WebSocket',
    // The protocol itself refuses values that are not objects, and has no headers per operation.
    supports: ({ variables = {}, extensions = {}, dry }) =>
      !dry && isObjectOrNull(variables) && isObjectOrNull(extensions),
    ask: overWebSocket,
  },
];

const isObjectOrNull = (value: unknown) => typeof value === 'object' && !Array.isArray(value);
