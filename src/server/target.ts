import type { IncomingMessage } from 'node:http';

/** What a request is aimed at, by its first line and its headers. */

export const PATH = '/graphql';

export const pathOf = ({ url = '' }: IncomingMessage) => url.split('?', 1)[0];

/** Any other wish for another protocol is ignored (RFC 9110 section 7.8): curl has one by itself. */
export function isForWebSocket(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && method === 'GET' && pathOf(request) === PATH;
}
