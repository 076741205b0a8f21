import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Bounds on connections, whatever is sent on them. */
export interface ConnectionOptions {
  max: number;
  maxPerAddress: number;
  maxHeaderBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** Proxies bring the connections of many clients: these are not counted by address. */
  isTrustedProxy(address: string): boolean;
}

/** How often node:http looks for connections that have taken too long. */
const CHECK_EVERY_MS = 1000;

/** What node:http bounds by itself. */
export function serverOptions(options: ConnectionOptions) {
  const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs } = options;
  return {
    maxHeaderSize: maxHeaderBytes,
    // node:http wants the head to have no more time than the whole.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersTimeoutMs, requestTimeoutMs),
  };
}

/** Closes connections beyond those that may be open, in all and of one address. */
export function limitConnections(server: Server, options: ConnectionOptions): void {
  const { max, maxPerAddress, isTrustedProxy } = options;
  const open = new Map<string, number>();
  server.maxConnections = max;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrustedProxy(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > maxPerAddress) return socket.destroy();
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
