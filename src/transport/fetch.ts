import { createBodyBytes } from './body-bytes.ts';
import type { Http } from './http.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { networkOf } from './networks.ts';

/** The Fetch API as a transport, for applications that embed the endpoint in another server. */
export type Fetch = (request: Request, from?: { address?: string }) => Promise<Response>;

export function createFetch(http: Http): Fetch {
  return async (request, from) => responseOf(await http(await read(request, from)), request.signal);
}

async function read(request: Request, from?: { address?: string }): Promise<HttpRequest> {
  // Servers that call it directly as their handler pass a second argument of their own.
  const address = typeof from?.address === 'string' ? networkOf(from.address) : '';
  const { host, pathname, search } = new URL(request.url);
  const { method } = request;
  const headers = { host, ...Object.fromEntries(request.headers) };
  // A body that was read before is gone: the reply says so.
  const body = method === 'POST' && !request.bodyUsed ? await readBody(request) : '';
  return { method, url: pathname + search, headers, body, address, isEmbedded: true };
}

/** Stops reading once a body is too long, and returns undefined for it. */
async function readBody({ body }: Request): Promise<string | undefined> {
  const bytes = createBodyBytes();
  for await (const chunk of body ?? []) if (!bytes.add(chunk)) return undefined;
  return bytes.text();
}

function responseOf({ status, headers, body }: HttpReply, signal: AbortSignal): Response {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return new Response(contentOf(body, signal), { status, headers: entries });
}

/**
 * A status such as 304 allows no content, not even an empty one. A stream ends with the request's signal: some clients
 * unsubscribe in no other way.
 */
function contentOf(body: HttpReply['body'], signal: AbortSignal): BodyInit | null {
  if (body instanceof ReadableStream) return body.pipeThrough(new TransformStream(), { signal });
  return body.length > 0 ? Buffer.concat(body.map((piece) => Buffer.from(piece))) : null;
}
