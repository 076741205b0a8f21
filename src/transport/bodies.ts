import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from './http-message.ts';
import { createUnfinishedBodies, type UnfinishedBody } from './unfinished-bodies.ts';
import type { UnfinishedBytes } from './unfinished-bytes.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

/** Bodies of requests and replies, as node:http has them. */

type Use = (body: string | undefined) => void;

/** Gives the body of a POST, '' for any other request, undefined for one that is too long. */
export type ReadBody = (request: IncomingMessage, use: Use) => void;

export function createBodyReader(unfinished: UnfinishedBytes): ReadBody {
  const begin = createUnfinishedBodies(unfinished);
  return (request, use) => {
    if (request.method === 'POST') readText(request, begin, use);
    else if (!hasBody(request)) use('');
    else readText(request, begin, (body) => use(body && ''));
  };
}

/** What comes with a GET means nothing, but it must be read, and it must end. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Whether it is known to be longer than is read before any of it is there. */
export function isKnownTooLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > MAX_BODY_BYTES;
}

type Begin = ReturnType<typeof createUnfinishedBodies>;

/** One that is too long is known as such early, and is not read further. Most come in one piece. */
function readText(request: IncomingMessage, begin: Begin, use: Use): void {
  if (isKnownTooLong(request)) return use(undefined);
  if (request.readableEnded) return use(readBefore(request));
  const length = Number(request.headers['content-length']);
  let whole: Buffer | undefined;
  let body: UnfinishedBody | undefined;
  const add = (chunk: Buffer) => {
    if (chunk.length === length) whole = chunk;
    else if (!(body ??= begin(request)).add(chunk)) refuse();
  };
  const refuse = () => {
    request.pause();
    request.off('data', add);
    request.off('end', end);
    body?.release();
    use(undefined);
  };
  const end = () => {
    body?.release();
    const text = whole?.toString() ?? body?.text() ?? '';
    // The request is there until it is answered, and has these listeners.
    whole = undefined;
    body = undefined;
    use(text);
  };
  request.on('data', add);
  request.on('end', end);
}

/** The body that somebody before us has read, as parsers of other servers leave it; undefined where it is too long. */
function readBefore({ body = '' }: IncomingMessage & { body?: unknown }): string | undefined {
  const text = textOf(body);
  return Buffer.byteLength(text) > MAX_BODY_BYTES ? undefined : text;
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body);
}

/** A client that leaves cancels the stream, even while that has nothing to send. */
export async function writeStream(
  response: ServerResponse,
  body: ReadableStream<Uint8Array>,
  waitingBytes: WaitingBytes,
) {
  // Who has left before the reply was there will not close the connection once more.
  if (response.closed) return body.cancel();
  const reader = body.getReader();
  // One that has failed cannot be cancelled, and need not be.
  const left = once(response, 'close').then(() => reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (response.write(value)) continue;
    waitingBytes.update(response);
    await Promise.race([once(response, 'drain'), left]);
    waitingBytes.update(response);
  }
  response.end();
}
