import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Whole answers are cached while everything they used is fresh; clients must not be able to tell. */

const post = (query: string, accept: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept },
  body: JSON.stringify({ query }),
});

describe('the answer to a repeated query', () => {
  test('reports its own usage', async () => {
    const { ask } = await open();
    const query = '{ fxRates { totalCount } }';
    const first = await ask(query);
    await ask('{ macroCatalog { totalCount } }');
    const again = await ask(query);
    expect(again.data).toEqual(first.data);
    const { fx, macro, upstream } = again.extensions.usage;
    expect(fx).toMatchObject({ used: 0, usedThisMonth: 1 });
    expect(macro).toMatchObject({ used: 0, usedThisMonth: 1 });
    expect(upstream).toEqual({ requests: 0, cacheHits: 1, coalesced: 0, stale: 0, failed: 0 });
  });

  test('reports as many cache hits as one that is executed', async () => {
    const { ask } = await open();
    const query = '{ macroSeries(code: "TP.DK.USD.A") { name frequency } fxRates { totalCount } }';
    await ask(query);
    const hits = async (text: string) => (await ask(text)).extensions.usage.upstream.cacheHits;
    expect([await hits(query), await hits(`${query} `)]).toEqual([2, 2]);
  });

  test('is replaced by a better one: a list in its own currency, an asset in a list', async () => {
    const { ask, get, clock } = await open();
    const inLira = '{ cryptoAssets(first: 2, convert: TRY) { nodes { price } } }';
    const derived = '{ cryptoAssets(first: 2) { nodes { symbol price } } }';
    const single = '{ cryptoAsset(symbol: "BTC") { symbol price } }';
    await ask(inLira);
    await ask(derived);
    await ask(single);
    clock.advance(8000);
    await ask('{ cryptoAssets(first: 2) { nodes { symbol price marketCap } } }');
    for (const query of [derived, single]) expect(await get(query)).toEqual(await get(`${query} `));
  });

  test('is replaced once a longer list is fetched', async () => {
    const { ask, get, clock } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000000' } });
    const page = '{ cryptoAssets(first: 20) { nodes { symbol price } } }';
    const single = '{ cryptoAsset(symbol: "BTC") { price } }';
    for (const query of [page, single]) await ask(query);
    clock.advance(8000);
    await ask('{ cryptoAssets(first: 400) { nodes { price } } }');
    for (const query of [page, single]) expect(await get(query)).toEqual(await get(`${query} `));
  });

  test('is not cached if it has values that change by themselves: meters and health', async () => {
    const { get, ask, sandbox, clock } = await open();
    const query = '{ usage { fx { usedThisMonth } } health { ok } }';
    expect(await get(query)).toEqual({ usage: { fx: { usedThisMonth: 0 } }, health: { ok: true } });
    await ask('{ fxRates { totalCount } }');
    sandbox.fault({ kind: 'status', status: 503, path: '/health' });
    clock.advance(100);
    expect(await get(query)).toEqual({
      usage: { fx: { usedThisMonth: 1 } },
      health: { ok: false },
    });
  });

  test.each([
    'fxRate(pair: "USDTRY") { list: history { start end } }',
    'macroSeries(code: "TP.DK.USD.A") { list: observations { start end } }',
  ])('changes with the date: %s', async (field) => {
    const { get, clock } = await open();
    clock.set('2026-11-20T23:59:58+03:00');
    const query = `{ one: ${field} }`;
    const before = await get<{ one: { list: { end: string } } }>(query);
    clock.advance(1999);
    expect(await get(query)).toEqual(before);
    clock.advance(1);
    const after = await get<{ one: { list: { end: string } } }>(query);
    expect([before.one.list.end, after.one.list.end]).toEqual(['2026-11-20', '2026-11-21']);
  });

  test('changes with the date: the week of the calendar', async () => {
    const { get, clock } = await open();
    clock.set('2026-11-20T23:59:58+03:00');
    const query = '{ list: calendarEvents(first: 500) { nodes { recordId datetime } } }';
    await get(query);
    clock.advance(2000);
    const { list } = await get<{ list: { nodes: { datetime: string }[] } }>(query);
    const days = list.nodes.map(({ datetime }) => datetime.slice(0, 10));
    expect(days).not.toContain('2026-11-20');
    expect(days).toContain('2026-11-27');
  });

  test('is not mixed up with that for another media type, document or variable', async () => {
    const { send, get } = await open();
    const query = '{ fxRates(first: 1) { totalCount } }';
    const types = async (accept: string) => {
      const { headers } = await send(post(query, accept));
      return headers.get('content-type')?.split(';')[0];
    };
    for (const accept of [
      'application/json',
      'application/graphql-response+json',
      'application/json',
    ])
      expect(await types(accept)).toBe(accept);
    const byVariable = 'query ($pair: CurrencyPair!) { fxRate(pair: $pair) { pair } }';
    for (const pair of ['USDTRY', 'EURTRY', 'USDTRY'])
      expect(await get(byVariable, { pair })).toEqual({ fxRate: { pair } });
  });

  test('is not cached if something failed or was stale', async () => {
    const { ask, sandbox, clock } = await open();
    const query = '{ fxRates { totalCount provenance { stale } } cryptoAssets { totalCount } }';
    const clearFaultB = sandbox.fault({ kind: 'status', status: 500, group: 'B' });
    expect((await ask(query)).errors).toHaveLength(1);
    clearFaultB();
    clock.advance(60_000);
    const clearFaultA = sandbox.fault({ kind: 'status', status: 500, group: 'A' });
    expect((await ask(query)).data).toMatchObject({ fxRates: { provenance: { stale: true } } });
    clearFaultA();
    clock.advance(60_000);
    const { data, errors } = await ask(query);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ fxRates: { provenance: { stale: false } } });
  });

  test('is not cached for longer than the first of its parts to expire', async () => {
    const { cost, clock } = await open();
    const query = '{ fxRates { totalCount } cryptoAssets { totalCount } }';
    expect(await cost(query)).toBe(2);
    clock.advance(30_000);
    expect(await cost(query)).toBe(1);
    clock.advance(29_999);
    expect(await cost(query)).toBe(0);
    clock.advance(1);
    expect(await cost(query)).toBe(2);
  });
});

test('a response says how long it may be cached', async () => {
  const { send, clock } = await open();
  const search = `?query=${encodeURIComponent('{ fxRates { totalCount } }')}`;
  const age = async (init: RequestInit, path?: string) => {
    const { headers } = await send(init, path);
    return headers.get('cache-control');
  };
  const get = { headers: { accept: 'application/json' } };
  expect(await age(get, search)).toBe('public, max-age=60');
  clock.advance(19_100);
  // Never longer than it is fresh.
  expect(await age(get, search)).toBe('public, max-age=40');
  expect(await age(post('{ fxRates { totalCount } }', '*/*'))).toBe('private, max-age=40');
  expect(await age(post('{ fxRate(pair: "x") { mid } }', '*/*'))).toBe('no-store');
  expect(await age(post('{ nothing }', '*/*'))).toBe('no-store');
});

test('an answer with a value that is not known yet may be cached only briefly', async () => {
  const { send, ask } = await open();
  const frequency = async () => {
    const query = encodeURIComponent('{ macroSeries(code: "TP.DK.USD.A") { frequency } }');
    const { headers, data } = await send({ headers: { accept: '*/*' } }, `?query=${query}`);
    return [data, headers.get('cache-control')];
  };
  expect(await frequency()).toEqual([{ macroSeries: { frequency: null } }, 'public, max-age=10']);
  await ask('{ macroSeries(code: "TP.DK.USD.A") { observations { mean } } }');
  expect(await frequency()).toEqual([
    { macroSeries: { frequency: 'DAILY' } },
    'public, max-age=21600',
  ]);
});
