import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';

/** What stands in front of the GraphQL server: probes, and a bound on what a request may send. */
export interface HandlerOptions {
  graphql: RequestListener;
  isReady(): boolean;
}

/** Far more than any operation needs. */
const MAX_BODY_BYTES = 1024 * 1024;

export function createHandler({ graphql, isReady }: HandlerOptions): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/health') return respond(response, 200, { status: 'ok' });
    if (path === '/ready')
      return isReady()
        ? respond(response, 200, { status: 'ready' })
        : respond(response, 503, { status: 'stopping' });
    if (request.method !== 'POST') return graphql(request, response);
    readBody(request, (body) => {
      if (body === undefined) return refuse(response);
      // Yoga takes a body that is already there instead of reading the stream; it would wait for
      // the rest of an empty one.
      graphql(Object.assign(request, { body: body || ' ' }), response);
    });
  };
}

/** Gives undefined for a body that is too long. */
function readBody(request: IncomingMessage, use: (body: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    use(size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString());
  });
}

function refuse(response: ServerResponse): void {
  const message = `The request is longer than ${MAX_BODY_BYTES} bytes.`;
  const extensions = { code: 'REQUEST_TOO_LARGE' };
  respond(response, 413, { errors: [{ message, extensions }] });
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

export interface Listening {
  url: string;
  /** Stops accepting, lets running requests finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createServer(handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`HOST, PORT: cannot listen on ${host}:${port} (${error.message})`));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, close: (graceMs) => close(server, graceMs) };
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
