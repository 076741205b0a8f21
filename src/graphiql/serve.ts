import { createPage, type Encoding, type Page } from './page.ts';

/** The GraphiQL page over HTTP: caching, compression, and what the page may load. */

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  vary: 'accept, accept-encoding',
  // Kept by the browser, and asked about each time: an answer without a body is quick.
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  // Whatever the page is made to load, it can speak to no other host.
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

/** As much of an HTTP request as is needed here; transports, which call this, have all of it. */
interface PageRequest {
  headers: {
    'if-none-match'?: string | undefined;
    'accept-encoding'?: string | string[] | undefined;
  };
}

interface PageReply {
  status: number;
  headers: Record<string, string | number>;
  body: readonly Buffer[];
}

/** Answers a browser that opens the endpoint. */
export type ServePage = (request: PageRequest) => Promise<PageReply>;

/** Nothing is loaded or rendered before the first browser asks. */
export function createServePage(): ServePage {
  let page: Promise<Page> | undefined;
  return async ({ headers: sent }) => {
    const { etag, body } = await (page ??= createPage());
    const headers = { ...HEADERS, etag };
    if (sent['if-none-match'] === etag) return { status: 304, headers, body: [] };
    const encoding = encodingFor(String(sent['accept-encoding'] ?? ''));
    const bytes = await body(encoding);
    const coding = encoding === 'identity' ? undefined : { 'content-encoding': encoding };
    const length = { 'content-length': bytes.length };
    return { status: 200, headers: { ...headers, ...length, ...coding }, body: [bytes] };
  };
}

/** The smallest encoding that an `accept-encoding` header allows. */
function encodingFor(accepted: string): Encoding {
  const isAccepted = (name: string) =>
    accepted.split(',').some((part) => {
      const [coding, ...parameters] = part.split(';').map((text) => text.trim());
      return coding === name && !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
    });
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : 'identity';
}
