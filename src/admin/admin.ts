import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { bearerIn } from '../clients/authenticator.ts';
import type { Config } from '../config.ts';
import type { Console, Content } from '../console/console.ts';
import { forbiddenHost } from '../documents/refusals.ts';
import type { Maybe } from '../maybe.ts';
import { forbiddenReason, loopbackNames, type OriginRules } from '../transport/origins.ts';

/** The operator's view of the gateway, on a listener of its own that clients never reach. */

export interface AdminOptions {
  /** Metrics for monitoring, and their media type. */
  metrics: { text(): Promise<string>; contentType: string };
  console: Pick<Console, 'file' | 'report' | 'csv'>;
  /** `ready`, or why not. */
  readiness(): Maybe<string>;
  /** If several workers serve: how many are up, out of how many. */
  workers?: () => { up: number; of: number };
  /** Token that requests have to send; undefined if they need none. */
  token: string | undefined;
  /** Keeps out pages of other sites, even if such a site has its own host name point to this machine. */
  originRules: OriginRules;
}

/** Who may use the admin listener, as configured. */
export const adminRules = (config: Config) => ({
  token: config.admin.token,
  originRules: { origins: [], hosts: hostsOf(config) },
});

/**
 * Host names that requests may name: if only this machine can connect, its own and those of ALLOWED_HOSTS (unless that
 * is `*`), otherwise any.
 */
function hostsOf({ admin, allowedHosts }: Config): OriginRules['hosts'] {
  const own = loopbackNames(admin.host);
  return own && !allowedHosts.includes('*') ? [...own, ...allowedHosts] : undefined;
}

type Answer = Content & { status: number };

/** Whatever the page is made to load, it cannot connect to any other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function createAdmin(options: AdminOptions): RequestListener {
  const { metrics, console, readiness, workers, originRules } = options;
  const isPermitted = createTokenCheck(options.token);

  /** Answers that hold no figures and need no token: a browser loads the page before it can send one. */
  async function openAnswer(path: string): Promise<Answer | undefined> {
    const beside = workers && { workers: workers() };
    if (path === '/health') {
      const isUp = beside?.workers.up !== 0;
      return json(isUp ? 200 : 503, { status: isUp ? 'ok' : 'no worker is up', ...beside });
    }
    if (path === '/ready') {
      const status = await readiness();
      return json(status === 'ready' ? 200 : 503, { status, ...beside });
    }
    const file = console.file(path === '/' ? 'index.html' : path.slice(1));
    return file && { status: 200, ...file };
  }

  async function closedAnswer({ pathname, searchParams }: URL): Promise<Answer> {
    if (pathname === '/metrics')
      return { status: 200, type: metrics.contentType, body: await metrics.text() };
    const month = searchParams.get('month');
    if (pathname === '/report.json') return orUnavailable(console.report(month));
    if (pathname === '/spent.csv') return orUnavailable(console.csv(month));
    return text(
      404,
      'Not found. This listener serves the console (/), /metrics, /report.json, /spent.csv, /health and /ready.',
    );
  }

  async function answerTo({
    method = 'GET',
    url = '/',
    headers,
  }: IncomingMessage): Promise<Answer> {
    const forbidden = forbiddenReason(headers, originRules);
    if (forbidden) return text(403, forbidden === 'host' ? forbiddenHost().message : 'Forbidden');
    const target = URL.parse(url, 'http://admin');
    if (!target) return text(400, 'Bad Request');
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'Only GET is served here.');
    const open = await openAnswer(target.pathname);
    if (open) return open;
    if (!isPermitted(headers.authorization))
      return text(401, 'Send ADMIN_TOKEN as a Bearer token.');
    return closedAnswer(target);
  }

  return (request, response) => {
    request.resume();
    answerTo(request)
      .then((answer) => write(response, answer))
      .catch(() => response.destroy());
  };
}

/** Answers with a month's figures: 400 if there is no such month, 503 if they cannot be read now. */
async function orUnavailable(content: Promise<Content> | undefined): Promise<Answer> {
  if (!content) return text(400, 'month: must look like 2026-11 and must not be in the future.');
  try {
    return { status: 200, ...(await content) };
  } catch (error) {
    return text(503, error instanceof Error ? error.message : 'The figures cannot be read now.');
  }
}

/** Compares digests: they have the same length, and do not reveal where a wrong token differs. */
function createTokenCheck(token: string | undefined): (header: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const digest = (value: string) => hash('sha256', value, 'buffer');
  const expected = digest(token);
  return (header) => {
    const sent = bearerIn(header);
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
    ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': POLICY,
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(status === 405 && { allow: 'GET, HEAD' }),
  });
  if (response.req.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body);
  // If one side fails or disconnects, the other one ends, too.
  else pipeline(body, response).catch(() => undefined);
}
