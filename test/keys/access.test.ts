import { describe, expect, test } from 'vitest';
import { openKeys, post, request } from './clients.ts';

/** Without a key, a request gets nothing and costs nothing. */

const RATES = '{ fxRates { nodes { pair buying } } }';

describe('a key', () => {
  test.each([
    ['Authorization', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['authorization in lower case', (key: string) => ({ authorization: `bearer ${key}` })],
    ['x-api-key', (key: string) => ({ 'x-api-key': key })],
    [
      'x-api-key, if Authorization has another scheme',
      (key: string) => ({ authorization: 'Basic bWc6bWc=', 'x-api-key': key }),
    ],
    [
      'Authorization, if x-api-key has another',
      (key: string) => ({ authorization: `Bearer ${key}`, 'x-api-key': 'mg_wrong' }),
    ],
  ])('is taken from %s', async (_name, headersWith) => {
    const { bench, keyOf } = await openKeys([{ name: 'web' }]);
    const { status, data } = await bench.send(post(RATES, headersWith(keyOf['web']!)));
    expect([status, Object.keys(data as object)]).toEqual([200, ['fxRates']]);
  });

  test.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer mg_wrong' }],
    ['another scheme', { authorization: 'Basic bWc6bWc=' }],
    ['an empty one', { 'x-api-key': '' }],
  ])('%s is refused, and nothing runs', async (_name, headers) => {
    const { bench } = await openKeys([{ name: 'web' }]);
    for (const init of [post(RATES, headers), post('{', headers), { headers }]) {
      const { status, headers: sent, body } = await request(bench.url, init);
      expect(status).toBe(401);
      expect(sent.get('www-authenticate')).toBe('Bearer');
      expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
      expect(Object.keys(body)).toEqual(['errors']);
    }
    expect(bench.sandbox.requests()).toEqual([]);
  });

  test('answers for a key are only for its client, not for shared caches', async () => {
    const { bench, headersOf } = await openKeys([{ name: 'web' }]);
    const search = `?query=${encodeURIComponent(RATES)}`;
    const headers = { ...headersOf('web'), 'graphql-require-preflight': '1' };
    const reply = await bench.send({ headers }, search);
    expect(reply.headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
    expect(reply.headers.get('vary')).toMatch(/, Authorization, X-Api-Key$/);
  });

  test('health checks and the page need no key', async () => {
    const { bench } = await openKeys([{ name: 'web' }]);
    const root = new URL(bench.url).origin;
    expect((await fetch(`${root}/health`)).status).toBe(200);
    expect((await fetch(bench.url, { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  test('is never logged', async () => {
    const { bench, ask, keyOf } = await openKeys([{ name: 'web' }]);
    await ask('web', RATES);
    await request(bench.url, post(RATES, { authorization: 'Bearer mg_a_wrong_one' }));
    const asName = `mg_${'a1B2'.repeat(10)}xyz`;
    for (const name of [asName, `Rates_${asName}`]) await ask('web', `query ${name} ${RATES}`);
    for (const secret of [keyOf['web']!, 'mg_a_wrong_one', asName])
      expect(bench.log()).not.toContain(secret);
  });
});

describe('the account', () => {
  test('tells who asks and what is left', async () => {
    const budgets = [{ meter: 'FX', window: 'DAY', limit: 7 }];
    const { ask } = await openKeys([{ name: 'web', budgets }]);
    const { data, extensions } = await ask<object>(
      'web',
      '{ fxRates { nodes { pair } } usage { client { name budgets { meter window limit used resetsAt } } } }',
    );
    const client = { name: 'web', budgets: [{ meter: 'FX', window: 'DAY', limit: 7, used: 1 }] };
    expect(extensions.usage.client).toMatchObject(client);
    expect(data).toMatchObject({ usage: { client: { name: 'web' } } });
    const cacheHit = await ask('web', '{ fxRates { nodes { pair } } }');
    expect(cacheHit.extensions.usage.client).toEqual(extensions.usage.client);
  });

  test('kept answers are shared, each with the account of who asks', async () => {
    const { bench, ask } = await openKeys([{ name: 'web' }, { name: 'app' }]);
    await ask('web', RATES);
    for (const client of ['app', 'web', 'app']) {
      const { extensions } = await ask(client, RATES);
      expect(extensions.usage.client?.name).toBe(client);
    }
    expect(bench.sandbox.requests()).toHaveLength(1);
  });

  test('names nobody if there are no clients', async () => {
    const { open } = await import('../harness.ts');
    const { ask } = await open();
    const { data, extensions } = await ask('{ usage { client { name } } }');
    expect(data).toEqual({ usage: { client: null } });
    expect(extensions.usage.client).toBeUndefined();
  });
});

describe('what a client may ask', () => {
  test('persistedOnly: a text that is not listed is refused, even while its answer is kept', async () => {
    const { bench, ask } = await openKeys([
      { name: 'web' },
      { name: 'mobile', persistedOnly: true },
    ]);
    await ask('web', RATES);
    const { errors } = await ask('mobile', RATES);
    expect(errors[0]?.extensions.code).toBe('PERSISTED_QUERY_ID_REQUIRED');
    expect(bench.sandbox.requests()).toHaveLength(1);
  });

  test('operationsPerMinute: further ones are refused until the minute is over, with the header fields of the draft', async () => {
    const { bench, ask, headersOf } = await openKeys([{ name: 'web', operationsPerMinute: 3 }]);
    for (const left of [2, 1, 0]) {
      const { headers } = await bench.send(post(RATES, headersOf('web')));
      expect(headers.get('ratelimit-policy')).toBe('"operations";q=3;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"operations";r=${left};t=\\d+$`));
    }
    const { status, headers, body } = await request(bench.url, post(RATES, headersOf('web')));
    expect(status).toBe(429);
    expect(body.errors[0].extensions).toMatchObject({ code: 'CLIENT_RATE_EXCEEDED', limit: 3 });
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    bench.clock.advance(retryAfter * 1000);
    expect((await ask('web', RATES)).status).toBe(200);
  });

  test('operationsPerMinute: streams of events have the header fields, too', async () => {
    const { bench, headersOf } = await openKeys([{ name: 'web', operationsPerMinute: 2 }]);
    const headers = { ...headersOf('web'), accept: 'text/event-stream' };
    for (const left of [1, 0]) {
      const reply = await fetch(bench.url, post('{ __typename }', headers));
      expect(reply.headers.get('content-type')).toMatch('text/event-stream');
      expect(reply.headers.get('ratelimit')).toMatch(`;r=${left};`);
      await reply.text();
    }
    expect((await fetch(bench.url, post('{ __typename }', headers))).status).toBe(429);
  });
});
