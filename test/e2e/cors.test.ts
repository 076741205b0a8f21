import { expect, test } from 'vitest';
import { open } from '../harness.ts';

const QUERY = '?query=%7B__typename%7D';

function preflight(url: string, origin: string): Promise<Response> {
  const headers = { origin, 'access-control-request-method': 'POST' };
  return fetch(url, { method: 'OPTIONS', headers });
}

test('pages of a listed origin may ask, before and after the answer is kept', async () => {
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

test('pages of other origins may not, and nobody may by default', async () => {
  for (const env of [{ CORS_ORIGINS: 'https://a.example' }, { CORS_ORIGINS: '' }]) {
    const { url } = await open({ env });
    const { headers } = await fetch(url + QUERY, { headers: { origin: 'https://c.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const refused = await preflight(url, 'https://c.example');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
});
