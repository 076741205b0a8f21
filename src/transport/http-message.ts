import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller } from '../clients/authenticator.ts';

/** HTTP messages in the form that all HTTP transports share: node:http, the Fetch API, Yoga. */

export interface HttpRequest {
  method: string;
  /** Path and query string. */
  url: string;
  /** By lower-case name. */
  headers: IncomingHttpHeaders;
  /** Undefined if it was longer than MAX_BODY_BYTES or came in too many chunks. */
  body: string | undefined;
  /** The client's IPv4 address or IPv6 network (`networkOf`), which stands for the client; '' if it is unknown. */
  address: string;
  /** When the request was complete, by `performance.now()`; undefined if nobody measures it. */
  arrivedAt?: number | undefined;
  /** Who sends it, if clients have names. */
  caller?: Caller | undefined;
  /** Whether another server received it, which decides itself which hosts it serves. */
  isEmbedded?: boolean;
  /** Whether only the head of the answer to this GET is sent. */
  isHead?: boolean;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | number>;
  /** Pieces that are sent one after the other, or a stream. */
  body: readonly (string | Buffer)[] | ReadableStream<Uint8Array>;
  /**
   * Called once the body has been sent, to release a text that nothing else needs. The promises of an operation that
   * has waited long survive until the next full garbage collection, and would keep the text for as long.
   */
  release?: () => void;
}

/** Streams that last until the server stops, each represented by the function that ends it. */
export interface OpenStreams {
  /** Adds a stream; ends it at once if the server has stopped already. */
  add(end: () => void): void;
  delete(end: () => void): void;
  has(end: () => void): boolean;
}

/** Maximum bytes of a request body or a WebSocket message: far more than any operation needs. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

export const GRAPHQL_PATH = '/graphql';

/** Returns path and query. Clients of proxies send a whole URL (RFC 9112 section 3.2.2), whose host does not matter. */
export function originForm(url = ''): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}

/** Returns a URL without its query string. */
export function pathOf(url: string): string {
  const search = url.indexOf('?');
  return search < 0 ? url : url.slice(0, search);
}

/** Returns a header as one text, even if it was sent several times. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Returns a bare media type: case, white space and parameters do not matter (RFC 9110 section 8.3.1). */
export function mediaTypeOf(header = ''): string {
  if (header === 'application/json') return header;
  const [type = ''] = header.split(/[;,]/, 1);
  return type.trim().toLowerCase();
}

/** The address that a connection comes from, a client's or a proxy's; '' if the connection is gone. */
export const connectionAddress = ({ socket }: IncomingMessage): string =>
  socket.remoteAddress ?? '';

/** Returns a JSON reply that must not be cached. */
export function jsonReply(status: number, body: object): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: [JSON.stringify(body)] };
}
