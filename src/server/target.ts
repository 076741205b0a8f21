import type { IncomingMessage } from 'node:http';

/** What a request is aimed at, by its first line and its headers. */

export const PATH = '/graphql';

export const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0];

/** Any other wish for another protocol is ignored (RFC 9110 section 7.8): curl has one by itself. */
export function isForWebSocket(request: IncomingMessage): boolean {
  toOriginForm(request);
  const { method, headers } = request;
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && method === 'GET' && pathOf(request) === PATH;
}

/** Clients of proxies send the whole address (RFC 9112 section 3.2.2): whose host it names is no matter here. */
export function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (!url.startsWith('/')) request.url = url.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
}

/** Whether host and target make an address. What comes without a host is old, but no worse for it. */
export function hasAddress({ url = '', headers }: IncomingMessage): boolean {
  const { host = '' } = headers;
  return !/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host || 'localhost'}${url}`);
}
