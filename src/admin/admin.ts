import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Readiness } from '../transport/lifecycle.ts';
import { forbiddenOrigin, type OriginRules } from '../transport/origins.ts';

/** For who runs the gateway: a listener of its own, which clients never reach. */

export interface AdminOptions {
  /** What monitoring reads, and its media type. */
  metrics: { text(): Promise<string>; contentType: string };
  readiness(): Readiness;
  /** Whoever asks has to send it; undefined: nobody has to. */
  token: string | undefined;
  /** Pages of other sites may not ask, nor may those that have their own name point to this machine. */
  originRules: OriginRules;
}

type Answer = { status: number; type: string; body: string };

export function createAdmin(options: AdminOptions): RequestListener {
  const { metrics, readiness, originRules } = options;
  const isPermitted = createTokenCheck(options.token);

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const { method = 'GET', url = '/', headers } = request;
    if (forbiddenOrigin(headers, originRules)) return text(403, 'Forbidden');
    const path = url.split('?', 1)[0];
    if (path === '/health') return json(200, { status: 'ok' });
    if (path === '/ready') {
      const status = readiness();
      return json(status === 'ready' ? 200 : 503, { status });
    }
    if (!isPermitted(headers.authorization)) return text(401, 'Send ADMIN_TOKEN as Bearer token.');
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'Only GET is served here.');
    if (path === '/metrics')
      return { status: 200, type: metrics.contentType, body: await metrics.text() };
    return text(404, 'Here are /metrics, /health and /ready.');
  }

  return (request, response) => {
    request.resume();
    answerTo(request).then(
      (answer) => write(response, answer),
      () => response.destroy(),
    );
  };
}

/** Digests are compared: they are of one length, and tell nothing of where a wrong token differs. */
function createTokenCheck(token: string | undefined): (header: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const digest = (value: string) => hash('sha256', value, 'buffer');
  const expected = digest(token);
  return (header = '') => {
    const [, sent] = /^\s*bearer\s+(\S+)\s*$/i.exec(header) ?? [];
    return sent !== undefined && timingSafeEqual(digest(sent), expected);
  };
}

const text = (status: number, body: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${body}\n`,
});
const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

function write(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
