import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller } from '../clients/authenticator.ts';

/** HTTP messages as all HTTP transports have them: node:http, the Fetch API, Yoga. */

export interface HttpRequest {
  method: string;
  /** Path and query string. */
  url: string;
  /** By lower-case name. */
  headers: IncomingHttpHeaders;
  /** Undefined where it was longer than MAX_BODY_BYTES. */
  body: string | undefined;
  /** The client's, as far as it is known. */
  address: string;
  /** By the clock of `performance.now()`; undefined where nobody wants to know. */
  arrivedAt?: number | undefined;
  /** Who sends it, where clients have names. */
  caller?: Caller | undefined;
  /** Another server took it in, and has decided which hosts it serves. */
  isEmbedded?: boolean;
  /** Only the head of the answer to this GET is sent. */
  isHead?: boolean;
}

export interface HttpReply {
  status: number;
  headers: Record<string, string | number>;
  /** Pieces that are sent one behind the other, or a stream. */
  body: readonly (string | Buffer)[] | ReadableStream<Uint8Array>;
  /**
   * Called once the body has been sent, to let go of a text that nobody else needs. The promises of an operation that
   * has waited long outlive it until the next full garbage collection, and would keep it for as long.
   */
  release?: () => void;
}

/** Streams that go on until the server stops, each by the function that ends it. */
export interface OpenStreams {
  /** Ends it at once where the server has stopped already. */
  add(end: () => void): void;
  delete(end: () => void): void;
  has(end: () => void): boolean;
}

/** Far more than any operation needs. */
export const MAX_BODY_BYTES = 1024 * 1024;

export const PATH = '/graphql';

/** Clients of proxies send the whole address (RFC 9112 section 3.2.2): whose host it names is no matter here. */
export function originForm(url = ''): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}

export function pathOf(url: string): string {
  const search = url.indexOf('?');
  return search < 0 ? url : url.slice(0, search);
}

/** A header that is sent once. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The address that a connection comes from, be it a client's or a proxy's; '' where it is gone. */
export const connectionAddress = ({ socket }: IncomingMessage): string =>
  socket.remoteAddress ?? '';

/** A reply that is the same for everybody and must not be kept. */
export function jsonReply(status: number, body: object): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers, body: [JSON.stringify(body)] };
}
