import { expect, test } from 'vitest';
import { open } from '../harness.ts';

const QUERY = '?query=%7B__typename%7D';

function preflight(url: string, origin: string, asked = 'content-type'): Promise<Response> {
  const wanted = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  };
  return fetch(url, { method: 'OPTIONS', headers: { origin, ...wanted } });
}

test('pages of a listed origin may send queries, before and after the answer is cached', async () => {
  const { url } = await open({ env: { CORS_ORIGINS: 'https://a.example, https://b.example' } });
  const allowed = await preflight(url, 'https://b.example');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://b.example');
  for (const origin of ['https://a.example', 'https://b.example']) {
    const { headers } = await fetch(url + QUERY, { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toContain('Origin');
  }
});

test('pages of a listed origin may send cookies and an Authorization header', async () => {
  const { url } = await open({ env: { CORS_ORIGINS: 'https://a.example' } });
  const { headers } = await preflight(url, 'https://a.example', 'authorization, content-type');
  expect(headers.get('access-control-allow-headers')).toContain('authorization');
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  expect(headers.get('vary')).toContain('Origin');
  const answer = await fetch(url + QUERY, { headers: { origin: 'https://a.example' } });
  expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
});

test('pages of a listed origin may send trace context headers', async () => {
  const { url } = await open({ env: { CORS_ORIGINS: 'https://a.example' } });
  const trace = ['traceparent', 'tracestate', 'baggage'];
  const { headers } = await preflight(url, 'https://a.example', trace.join(', '));
  const allowed = headers.get('access-control-allow-headers')?.split(', ');
  expect(allowed).toEqual(expect.arrayContaining(trace));
});

test('if all origins are allowed, every response has the same CORS header, so that proxies can cache it', async () => {
  const { url } = await open({ env: { CORS_ORIGINS: '*' } });
  for (const init of [{}, { headers: { origin: 'https://a.example' } }]) {
    const answer = await fetch(url + QUERY, init);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  }
});

test('pages of other origins are refused, and by default all are', async () => {
  for (const env of [{ CORS_ORIGINS: 'https://a.example' }, { CORS_ORIGINS: '' }]) {
    const { url } = await open({ env });
    const { status, headers } = await fetch(url + QUERY, {
      headers: { origin: 'https://c.example' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const refused = await preflight(url, 'https://c.example');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('pages of a listed origin, and of all, may read what the headers of an answer say', async () => {
  const read = ['etag', 'retry-after', 'ratelimit', 'ratelimit-policy', 'x-usage-used'];
  for (const CORS_ORIGINS of ['https://a.example', '*']) {
    const { url } = await open({ env: { CORS_ORIGINS } });
    const { headers } = await fetch(url + QUERY, { headers: { origin: 'https://a.example' } });
    const exposed = headers.get('access-control-expose-headers')?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(read));
  }
});
