import type { IncomingMessage, ServerResponse } from 'node:http';
import { FORM_TYPE, MAX_BODY_BYTES, mediaTypeOf } from './http-message.ts';
import { beginBody, type UnfinishedBody } from './unfinished-bodies.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

/** Bodies of requests and replies of node:http. */

type OnBody = (body: string | undefined) => void;

/** Passes on the body of a POST, '' for any other request, undefined if the body is too long or in too many chunks. */
type ReadBody = (request: IncomingMessage, onBody: OnBody) => void;

export function createBodyReader(unfinished: UnfinishedBytes): ReadBody {
  return (request, onBody) => {
    if (request.method === 'POST') readText(request, unfinished, onBody);
    else if (!hasBody(request)) onBody('');
    else readText(request, unfinished, (body) => onBody(body === undefined ? undefined : ''));
  };
}

/** Whether there is a body. That of a GET means nothing, but must be read to its end. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Whether the body is known to be too long before any of it has arrived. */
export function isKnownTooLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > MAX_BODY_BYTES;
}

/** Reads a body, and stops as soon as it is too long. Most bodies arrive in one piece. */
function readText(request: IncomingMessage, unfinished: UnfinishedBytes, onBody: OnBody): void {
  if (isKnownTooLong(request)) return onBody(undefined);
  if (request.readableEnded) return onBody(alreadyReadBody(request));
  const length = Number(request.headers['content-length']);
  let whole: Buffer | undefined;
  let body: UnfinishedBody | undefined;
  const add = (chunk: Buffer) => {
    if (chunk.length === length) whole = chunk;
    else if (!(body ??= beginBody(request, unfinished)).add(chunk)) refuse();
  };
  const refuse = () => {
    request.pause();
    request.off('data', add);
    request.off('end', end);
    body?.release();
    onBody(undefined);
  };
  const end = () => {
    body?.release();
    const text = whole?.toString() ?? body?.text() ?? '';
    // The request lives until it is answered, and these listeners with it.
    whole = undefined;
    body = undefined;
    onBody(text);
  };
  request.on('data', add);
  request.on('end', end);
}

/** Returns a body that another server's parser has read and left on the request; undefined if it is too long. */
function alreadyReadBody(request: IncomingMessage & { body?: unknown }): string | undefined {
  const { body = '', headers } = request;
  const text = textOf(body, headers['content-type']);
  return Buffer.byteLength(text) > MAX_BODY_BYTES ? undefined : text;
}

/** Writes what was parsed as it was sent: the media type says how to read it. */
function textOf(body: unknown, contentType: string | undefined): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const isForm = mediaTypeOf(contentType) === FORM_TYPE;
  return isForm ? formOf(Object(body)) : JSON.stringify(body);
}

/** Parsers leave text in the fields of a form, or an object if a field's name has brackets. */
function formOf(fields: object): string {
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** Writes a stream to the response. If the client leaves, the stream is canceled, even while it has nothing to send. */
export async function writeStream(
  response: ServerResponse,
  body: ReadableStream<Uint8Array>,
  waitingBytes: WaitingBytes,
) {
  const { socket } = response.req;
  // If the client left before the reply was ready, there is no further `close` event.
  if (response.closed || socket.destroyed) return body.cancel();
  const reader = body.getReader();
  // A stream that has failed cannot be canceled, and need not be.
  const client = watchClient(response, () => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (response.write(value)) continue;
    waitingBytes.update(response);
    await client.whenDrained();
    waitingBytes.update(response);
  }
  client.unwatch();
  response.end();
}

/** Follows whether the client takes what is written; `onLeft` is called, perhaps repeatedly, once it never will. */
function watchClient(response: ServerResponse, onLeft: () => void) {
  const { socket } = response.req;
  let hasLeft = false;
  let endWait = () => {};
  const leave = () => {
    hasLeft = true;
    onLeft();
    endWait();
  };
  response.on('drain', () => endWait());
  response.once('close', leave);
  // As when another part of the server has ended the response.
  response.on('error', leave);
  // Before version 26, Node.js does not close a response that waits for an earlier one of its connection.
  socket.once('close', leave);
  return {
    /** Resolves when the client takes more, or has left. A new promise each time: a lasting one would keep every wait. */
    whenDrained: () =>
      new Promise<void>((resolve) => {
        if (hasLeft) resolve();
        else endWait = resolve;
      }),
    unwatch: () => void socket.off('close', leave),
  };
}
