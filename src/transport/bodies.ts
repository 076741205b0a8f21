import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from './http-message.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

/** Bodies of requests and replies, as node:http has them. */

type Use = (body: string | undefined) => void;

/** Gives the body of a POST, '' for any other request, undefined for one that is too long. */
export function readBody(request: IncomingMessage, use: Use): void {
  if (request.method === 'POST') readText(request, use);
  else if (!hasBody(request)) use('');
  else readText(request, (body) => use(body && ''));
}

/** What comes with a GET means nothing, but it must be read, and it must end. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

/** Whether it is known to be longer than is read before any of it is there. */
export function isTooLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length']) > MAX_BODY_BYTES;
}

/** One that is too long is known as such early, and is not read further. */
function readText(request: IncomingMessage, use: Use): void {
  if (isTooLong(request)) return use(undefined);
  if (request.readableEnded) return use(readBefore(request));
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= MAX_BODY_BYTES) return;
    request.pause();
    request.off('data', add);
    request.off('end', end);
    use(undefined);
  };
  const end = () => use((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString());
  request.on('data', add);
  request.on('end', end);
}

/** The body that somebody before us has read, as parsers of other servers leave it; undefined where it is too long. */
function readBefore({ body = '' }: IncomingMessage & { body?: unknown }): string | undefined {
  const isText = typeof body === 'string' || body instanceof Buffer;
  const text = isText ? body.toString() : JSON.stringify(body);
  return Buffer.byteLength(text) > MAX_BODY_BYTES ? undefined : text;
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
