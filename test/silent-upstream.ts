import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Servers that take requests and do not answer them. */

export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Starts a Group A that charges for each request and never answers; if `closesConnection`, it closes the connection. */
export async function silentUpstream(closesConnection = false) {
  let charged = 0;
  const charge: RequestListener = ({ socket }) => {
    charged += 1;
    if (closesConnection) socket.destroy();
  };
  const server = createServer(charge);
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://${await listen(server)}`, charged: () => charged };
}
