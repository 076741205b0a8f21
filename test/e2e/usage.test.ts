import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';

/**
 * The usage that every response states. Its exact shape is checked wherever the harness reads a
 * response (reply.ts); here are the responses that other tests do not ask for, and the numbers.
 */

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = JSON_TYPE) => ({
  method: 'POST',
  headers,
  body,
});
const operation = (query: unknown, rest = {}) => post(JSON.stringify({ query, ...rest }));

const REJECTED: [name: string, init: RequestInit, search?: string][] = [
  ['a syntax error', operation('{ fxRate(')],
  ['an unknown field', operation('{ nothing }')],
  ['a missing argument', operation('{ fxRate { mid } }')],
  ['a literal of the wrong type', operation('{ fxRate(pair: 5) { mid } }')],
  ['a missing query', post('{}')],
  ['a query that is not a string', operation(5)],
  ['invalid JSON', post('{"query": ')],
  ['a body that is not an object', post('"text"')],
  ['an empty body', post('')],
  ['a body of two megabytes', operation('{ __typename }', { x: 'x'.repeat(2 ** 21) })],
  ['a batch', post('[{"query": "{ usage { fx { limit } } }"}]')],
  ['an unknown operation name', operation('query A { __typename }', { operationName: 'B' })],
  [
    'a variable of the wrong type',
    operation('query ($a: Int!) { fxRates(first: $a) { totalCount } }'),
  ],
  ['variables that are not an object', operation('{ __typename }', { variables: [1] })],
  ['a mutation over GET', { method: 'GET' }, '?query=mutation%20%7B%20a%20%7D'],
  ['a GET without a query', { method: 'GET', headers: { accept: 'application/json' } }],
];

const NOTHING = {
  fx: { used: 0, usedThisMonth: 0, limit: null, remaining: null },
  macro: { used: 0, usedThisMonth: 0, limit: null, remaining: null },
  credits: { used: 0, usedThisMonth: 0, limit: null, remaining: null },
  upstream: { requests: 0, cacheHits: 0, coalesced: 0, stale: 0, failed: 0 },
};

describe('a request that is rejected', () => {
  test.each(REJECTED)('for %s has a coded error, and its usage is zero', async (...given) => {
    const [_name, init, search] = given;
    const { send, sandbox, log } = await open();
    const { errors, data, extensions } = await send(init, search);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error.extensions['code']).not.toBe('INTERNAL_SERVER_ERROR');
    expect(data ?? null).toBeNull();
    expect(extensions).toEqual({ usage: NOTHING });
    expect(sandbox.requests()).toEqual([]);
    expect(log()).not.toContain('unexpected');
  });
});

test('introspection spends nothing and is accounted for', async () => {
  const { ask } = await open();
  const { extensions } = await ask('{ __schema { types { name } } }');
  expect(extensions).toEqual({ usage: NOTHING });
});

test('a query over GET is answered and accounted for', async () => {
  const { send } = await open();
  const search = `?query=${encodeURIComponent('{ fxRate(pair: "USDTRY") { pair } }')}`;
  const { status, data, extensions } = await send(
    { headers: { accept: 'application/graphql-response+json' } },
    search,
  );
  expect([status, data]).toEqual([200, { fxRate: { pair: 'USDTRY' } }]);
  expect(extensions.usage.fx.used).toBe(1);
});

test('an embedded gateway answers a Request as its server does', async () => {
  const { fetch, ask } = await open();
  const query = '{ fxRates { totalCount } }';
  const { data } = await ask(query);
  const response = await fetch(new Request('http://embedded/graphql', operation(query)));
  expect(await response.json()).toMatchObject({ data, extensions: { usage: { fx: { used: 0 } } } });
});

test('`used` counts the operation alone, `usedThisMonth` all operations', async () => {
  const { ask } = await open();
  await ask('{ fxRate(pair: "USDTRY") { mid history { change } } }');
  const { extensions } = await ask('{ fxRate(pair: "EURTRY") { mid history { change } } }');
  expect(extensions.usage.fx).toMatchObject({ used: 1, usedThisMonth: 3 });
  expect(extensions.usage.upstream).toMatchObject({ requests: 1, cacheHits: 1, coalesced: 0 });
});

test('usage is read after the last field has been resolved', async () => {
  const { ask } = await open({ latencyMs: 20 });
  const { extensions } = await ask(
    '{ calendarEvents { nodes { fxRates { history { latest { value } } } } } }',
  );
  const { credits, fx, upstream } = extensions.usage;
  expect(credits.used).toBe(1);
  expect(fx.used).toBeGreaterThan(1);
  expect(upstream.requests).toBe(credits.used + fx.used);
});

test('a new month begins at zero', async () => {
  const { ask, clock } = await open();
  await ask('{ fxRate(pair: "USDTRY") { mid } }');
  clock.set('2026-11-30T23:59:59+03:00');
  const { extensions: before } = await ask('{ usage { fx { limit } } }');
  expect(before.usage.fx.usedThisMonth).toBe(1);
  clock.set('2026-12-01T00:00:00+03:00');
  const { extensions: after } = await ask('{ usage { fx { limit } } }');
  expect(after.usage.fx.usedThisMonth).toBe(0);
});

test('only a sandbox says that it is one', async () => {
  const { ask } = await open();
  expect((await ask('{ __typename }')).extensions.sandbox).toBeUndefined();
  const { another } = await open();
  const { extensions } = await (await another({ SANDBOX: '1' })).ask('{ __typename }');
  expect(extensions.sandbox).toBe(true);
});

const MAX_INT = 2 ** 31 - 1;
const CREDITS = '{ usage { credits { usedThisMonth limit remaining } } }';
const MAX_UNITS = Number.MAX_SAFE_INTEGER;

test('an impossible cost is counted as one unit, and logged once', async () => {
  const { ask, get, sandbox, clock, log } = await open({ env: { CREDITS_MONTHLY_LIMIT: '100' } });
  const withMaxCost = (body: unknown) => Object.assign({}, body, { creditsUsed: MAX_UNITS });
  sandbox.fault({ kind: 'rewrite', group: 'B', rewrite: withMaxCost });
  for (let i = 0; i < 3; i += 1) {
    clock.advance(60_000);
    const { extensions } = await ask('{ cryptoAsset(symbol: "BTC") { price } }');
    expect(extensions.usage.credits).toMatchObject({ used: 1, usedThisMonth: i + 1 });
  }
  expect(await get(CREDITS)).toMatchObject({ usage: { credits: { usedThisMonth: 3 } } });
  expect(log().match(/MAX_UNITS_PER_REQUEST/g)).toHaveLength(1);
});

test('numbers that are too large for an Int are capped in the usage', async () => {
  const env = { DATA_DIR: temporaryFolder(), CREDITS_MONTHLY_LIMIT: String(MAX_UNITS) };
  const { get, another } = await open({ env });
  await get('{ cryptoAsset(symbol: "BTC") { price } }');
  const db = new DatabaseSync(join(env.DATA_DIR, 'ledger.sqlite'));
  db.exec('UPDATE units SET used = 9223372036854775000');
  db.close();
  const { get: getElsewhere } = await another(env);
  // The balance that the upstream stated to the first gateway is stored.
  const credits = { usedThisMonth: MAX_INT, limit: MAX_INT, remaining: 99_999 };
  expect(await getElsewhere(CREDITS)).toEqual({ usage: { credits } });
});
