import { createPage, type Encoding, type Page } from './page.ts';

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

/** What the page's sender asks and gets, as HTTP has it. */
interface Asked {
  headers: {
    'if-none-match'?: string | undefined;
    'accept-encoding'?: string | string[] | undefined;
  };
}

interface Sent {
  status: number;
  headers: Record<string, string | number>;
  body: readonly Buffer[];
}

/** Sends GraphiQL to a browser that opens the endpoint. */
export type ServePage = (asked: Asked) => Promise<Sent>;

/** The page is loaded and made when the first browser asks for it. */
export function createServePage(): ServePage {
  let page: Promise<Page> | undefined;
  return async ({ headers: asked }) => {
    const { etag, body } = await (page ??= createPage());
    const headers = { ...HEADERS, etag };
    if (asked['if-none-match'] === etag) return { status: 304, headers, body: [] };
    const encoding = encodingFor(String(asked['accept-encoding'] ?? ''));
    const bytes = await body(encoding);
    const sent: Sent['headers'] = { ...headers, 'content-length': bytes.length };
    if (encoding !== 'identity') sent['content-encoding'] = encoding;
    return { status: 200, headers: sent, body: [bytes] };
  };
}

function encodingFor(accepted: string): Encoding {
  const isAccepted = (name: string) =>
    accepted.split(',').some((part) => {
      const [coding, ...parameters] = part.split(';').map((text) => text.trim());
      return coding === name && !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
    });
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : 'identity';
}
