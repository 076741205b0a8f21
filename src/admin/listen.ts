import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { asError, errorCode } from '../maybe.ts';
import { createServer } from '../node-http.ts';

interface Listening {
  /** Address of the console. */
  url: string;
  close(): Promise<void>;
}

/** Starts the admin listener, if there is one. Throws an error that names ADMIN_HOST and ADMIN_PORT if it cannot. */
export async function listenAdmin(
  handler: RequestListener | undefined,
  { host, port, isDefaultPort }: Config['admin'],
  log: Logger,
): Promise<Listening | undefined> {
  if (!handler || port === 0) return undefined;
  const server = createServer(handler);
  const problem = await tryListen(server, host, port);
  // If the default port is taken, any other will do.
  if (problem && !(isDefaultPort && errorCode(problem) === 'EADDRINUSE'))
    throw new Error(
      `ADMIN_HOST, ADMIN_PORT: cannot listen on ${host}:${port} (${problem.message})`,
    );
  if (problem) await tryListen(server, host, 0);
  const url = `http://${addressOf(server)}/`;
  log.info(`console at ${url}, metrics at ${url}metrics`);
  return { url, close: () => close(server) };
}

/** Resolves with why the server cannot listen there; undefined if it can. */
const tryListen = (server: Server, host: string, port: number): Promise<Error | undefined> =>
  once(server.listen(port, host), 'listening').then(() => undefined, asError);

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address !== 'object' || !address) return '';
  const { address: host, port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
