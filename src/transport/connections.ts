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
  isTrustedProxy: ((address: string) => boolean) | undefined;
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
    if (isTrustedProxy?.(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > maxPerAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

/** From now on each connection ends with its next reply. */
export function closeAfterReplies(server: Server): void {
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
}

const IDLE_LOOK_MS = 50;

/** Lets what is running finish for `graceMs`, then cuts it. */
export function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    // A connection whose last answer ends only now would be kept for the next request.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
