import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasAddress } from './target.ts';

/** Far more than any operation needs. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Why a request is refused before it becomes an operation. */
interface Refusal {
  status: number;
  code: string;
  message: string;
  headers?: Record<string, string>;
}

export const TOO_LARGE: Refusal = {
  status: 413,
  code: 'REQUEST_TOO_LARGE',
  message: `The request is longer than ${MAX_BODY_BYTES} bytes.`,
};
const NO_ADDRESS: Refusal = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'The Host header and the request target make no address.',
};
const COMPRESSED: Refusal = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'A request body cannot be compressed here: send it without Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
};

/** Why a request cannot become an operation. A kept answer needs no more than its key. */
export function refusalOf(request: IncomingMessage): Refusal | undefined {
  if (!hasAddress(request)) return NO_ADDRESS;
  const { 'content-encoding': coding = 'identity' } = request.headers;
  return request.method !== 'POST' || coding.toLowerCase() === 'identity' ? undefined : COMPRESSED;
}

export function refuse(response: ServerResponse, refusal: Refusal, extensions: object): void {
  const { status, message, code, headers } = refusal;
  respond(response, status, { errors: [{ message, extensions: { code } }], extensions }, headers);
}

export function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const common = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status, { ...common, ...headers }).end(JSON.stringify(body));
}
