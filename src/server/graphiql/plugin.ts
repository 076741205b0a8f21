import type { Plugin } from 'graphql-yoga';
import { matchesEtag } from '../answers.ts';
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

/** Shows GraphiQL to browsers that open the endpoint. It is loaded when the first one does. */
export function useGraphiQL(path: string): Plugin {
  let page: Promise<Page> | undefined;
  return {
    onRequest({ request, url, fetchAPI, endResponse }) {
      if (url.pathname !== path || !isBrowser(request)) return undefined;
      page ??= createPage();
      return page.then((ready) => answer(ready, request, fetchAPI.Response)).then(endResponse);
    },
  };
}

function isBrowser({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept')?.includes('text/html') ?? false);
}

async function answer(
  page: Page,
  { headers: asked }: Request,
  Answer: typeof Response,
): Promise<Response> {
  const headers = { ...HEADERS, etag: page.etag };
  if (matchesEtag(asked.get('if-none-match') ?? undefined, page.etag))
    return new Answer(null, { status: 304, headers });
  const encoding = encodingFor(asked.get('accept-encoding') ?? '');
  const body = await page.body(encoding);
  return new Answer(body, {
    headers: {
      ...headers,
      'content-length': String(body.length),
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  });
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
