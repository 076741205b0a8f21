import type { Listener } from '../../src/transport/connections.ts';

/** Wraps a gateway's listener, and counts the clients that are connected with a request or a WebSocket. */
export function watchConnections({ handler, upgrade, ...rest }: Listener) {
  const open = new Set<object>();
  function watch(connection: { once(event: 'close', end: () => void): unknown }): void {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  }
  const listener: Listener = {
    ...rest,
    handler(request, response) {
      watch(response);
      handler(request, response);
    },
    upgrade(request, socket, head) {
      watch(socket);
      upgrade(request, socket, head);
    },
  };
  return { listener, connections: () => open.size };
}
