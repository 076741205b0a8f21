import type { Config } from '../config.ts';

/**
 * The configuration of one of `count` workers. Limits on memory, on connections and on what is open or in flight are
 * divided among them, so that all together stay within them; those of one operation or connection stay as they are.
 */
export function shareOf(config: Config, count: number): Config {
  const share = (limit: number) => Math.max(1, Math.floor(limit / count));
  const { connections, sockets } = config;
  return {
    ...config,
    cacheMaxBytes: share(config.cacheMaxBytes),
    maxSubscriptions: share(config.maxSubscriptions),
    maxOperations: share(config.maxOperations),
    connections: {
      ...connections,
      max: share(connections.max),
      maxPerAddress: share(connections.maxPerAddress),
      maxWaitingBytes: share(connections.maxWaitingBytes),
    },
    sockets: {
      ...sockets,
      maxSockets: share(sockets.maxSockets),
      maxSocketsPerAddress: share(sockets.maxSocketsPerAddress),
      maxSocketsBufferBytes: share(sockets.maxSocketsBufferBytes),
    },
  };
}
