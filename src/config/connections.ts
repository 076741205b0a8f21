import { z } from 'zod';
import { milliseconds, positive, type Read, whole } from './checks.ts';

/** Reads the limits on connections. */
export function readConnections(read: Read) {
  return {
    max: read('MAX_CONNECTIONS', positive.default(4096)),
    maxPerAddress: read('MAX_CONNECTIONS_PER_ADDRESS', positive.default(1024)),
    maxHeaderBytes: read(
      'MAX_HEADER_BYTES',
      whole(z.number().min(1024, 'must be at least 1024')).default(16_384),
    ),
    headersTimeoutMs: read('HEADERS_TIMEOUT_MS', milliseconds.default(10_000)),
    requestTimeoutMs: read('REQUEST_TIMEOUT_MS', milliseconds.default(30_000)),
    keepAliveTimeoutMs: read('KEEP_ALIVE_TIMEOUT_MS', milliseconds.default(75_000)),
    /** Maximum bytes of answers that clients have not read yet, of all connections and of one. */
    maxWaitingBytes: read('MAX_WAITING_BYTES', positive.default(100_663_296)),
    maxWaitingBytesPerConnection: read(
      'MAX_WAITING_BYTES_PER_CONNECTION',
      positive.default(33_554_432),
    ),
  };
}

/** Reads the limits on WebSockets. */
export function readSocketLimits(read: Read) {
  return {
    /** Maximum open WebSockets of one address, and of all. */
    maxSocketsPerAddress: read('MAX_SOCKETS_PER_ADDRESS', positive.default(250)),
    maxSockets: read('MAX_SOCKETS', positive.default(1000)),
    /** Maximum operations that run at a time on one WebSocket; further ones wait, unread. */
    maxOperationsPerSocket: read('MAX_OPERATIONS_PER_SOCKET', positive.default(10)),
    maxSubscriptionsPerSocket: read('MAX_SUBSCRIPTIONS_PER_SOCKET', positive.default(100)),
    /** Maximum bytes that wait for one client that does not read, and for all such clients. */
    maxSocketBufferBytes: read('MAX_SOCKET_BUFFER_BYTES', positive.default(16_777_216)),
    maxSocketsBufferBytes: read('MAX_SOCKETS_BUFFER_BYTES', positive.default(67_108_864)),
  };
}
