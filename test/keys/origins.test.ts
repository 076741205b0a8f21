import { expect, test } from 'vitest';
import { openKeys, post } from './clients.ts';

/** The pages of which origins may use the key of a client. */

const RATES = '{ fxRates { nodes { pair buying } } }';

test('pages of others may not use the key, programs may', async () => {
  const { bench, headersOf } = await openKeys([
    { name: 'web', origins: ['https://app.example'] },
    { name: 'other', origins: ['https://other.example'] },
  ]);
  const from = (origin: string) => post(RATES, { ...headersOf('web'), origin });
  const allowed = await bench.send(from('https://app.example'));
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(allowed.headers.get('access-control-allow-credentials')).toBe(null);
  for (const origin of ['https://other.example', 'https://evil.example']) {
    const { status, errors } = await bench.send(from(origin));
    expect([status, errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  }
  expect((await bench.send(post(RATES, headersOf('web')))).status).toBe(200);
});

test('with `*` the pages of all origins may use the key, and browsers learn of it', async () => {
  const { bench, headersOf } = await openKeys([{ name: 'web', origins: ['*'] }, { name: 'none' }]);
  const origin = 'https://any.example';
  const foreign = { origin, 'sec-fetch-site': 'cross-site' };
  const served = await bench.send(post(RATES, { ...headersOf('web'), ...foreign }));
  expect([served.status, served.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  const method = 'OPTIONS';
  const headers = { origin, 'access-control-request-method': 'POST' };
  const preflight = await fetch(bench.url, { method, headers });
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  const refused = await bench.send(post(RATES, { ...headersOf('none'), ...foreign }));
  expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
});

test('those of another client do not help a client that has none', async () => {
  const clients = [{ name: 'plain' }, { name: 'web', origins: ['https://app.example'] }];
  const { bench, env, headersOf } = await openKeys(clients);
  const from = (origin: string) =>
    post(RATES, { ...headersOf('plain'), origin, 'sec-fetch-site': 'cross-site' });
  const refused = await bench.send(from('https://app.example'));
  expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([403, 'FORBIDDEN_ORIGIN']);
  expect(bench.sandbox.requests()).toEqual([]);
  const listed = await bench.another({ ...env, CORS_ORIGINS: 'https://app.example' });
  expect((await listed.send(from('https://app.example'))).status).toBe(200);
});

test('a preflight names them before the browser sends a key', async () => {
  const { bench } = await openKeys([{ name: 'web', origins: ['https://app.example'] }]);
  const ask = (origin: string) =>
    fetch(bench.url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const { headers } = await ask('https://app.example');
  expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(headers.get('access-control-allow-headers')).toContain('x-api-key');
  expect((await ask('https://evil.example')).headers.get('access-control-allow-origin')).toBe(null);
});
