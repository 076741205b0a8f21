import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { upstreamAnswer, type UpstreamRecord } from '../upstream.ts';
import { change, CHANGES } from './change.ts';

/** Records that cannot be read are left out and named, and no value of a record changes the path of a request. */

const DATASETS = [
  {
    dataset: 'fx rates',
    path: '/v1/fx/rates',
    query: '{ list: fxRates { totalCount } }',
    broken: { pair: 'USDTRY', buying: 'forty' },
    name: 'USDTRY',
  },
  {
    dataset: 'fx history',
    path: '/v1/fx/rates/USDTRY/history',
    query: '{ list: fxRate(pair: "USDTRY") { history(start: "2026-01-01") { points { date } } } }',
    broken: { date: 'yesterday', value: 1 },
    name: 'yesterday',
  },
  {
    dataset: 'macro catalog',
    path: '/v1/macro/catalog',
    query: '{ list: macroCatalog { totalCount } }',
    broken: { name: 'no code' },
    name: 'data[0]',
  },
  {
    dataset: 'legislation',
    path: '/legislation/changes',
    query: `{ list: legislationChanges(${CHANGES}) { totalCount } }`,
    broken: { id: 'rg-broken', publishedAt: 'soon' },
    name: 'rg-broken',
  },
  {
    dataset: 'calendar',
    path: '/calendar/events',
    query: '{ list: calendarEvents { totalCount } }',
    broken: { id: 'event-broken', datetime: 'noon' },
    name: 'event-broken',
  },
  {
    dataset: 'crypto',
    path: '/crypto/prices',
    query: '{ list: cryptoAssets { totalCount } }',
    broken: { symbol: 'BROKEN', price: null },
    name: 'BROKEN',
  },
];

describe('a record that does not validate', () => {
  test.each(DATASETS)('of $dataset is left out and named', async (wanted) => {
    const { dataset, path, query, broken, name } = wanted;
    const whole = await (await open()).get(query);
    const bench = await open();
    change(bench, path, (records) => [broken, ...records, 'no record', null]);
    const { data, errors, extensions } = await bench.ask(query);
    expect([data, errors]).toEqual([whole, []]);
    expect(extensions.warnings).toMatchObject([{ dataset, count: 3 }]);
    expect(extensions.warnings?.[0]?.message).toContain(name);
    // The answer is incomplete for as long as it is cached, and tells every client so.
    expect((await bench.ask(query)).extensions.warnings).toEqual(extensions.warnings);
    const { extensions: other } = await bench.ask('{ usage { fx { limit } } }');
    expect(other.warnings).toBeUndefined();
  });
});

test('words of the upstream are known in any letter case', async () => {
  const bench = await open();
  const capitals = (fields: string[]) => (records: UpstreamRecord[]) =>
    records.map((record) => {
      const values = fields.map((field) => [field, String(record[field]).toUpperCase()]);
      return { ...record, ...Object.fromEntries(values) };
    });
  const query = `{ laws: legislationChanges(${CHANGES}) { nodes { type changeType } }
    calendarEvents { nodes { importance impact } } }`;
  const wanted = await (await open()).get(query);
  change(bench, '/legislation/changes', capitals(['type', 'changeType']));
  change(bench, '/calendar/events', capitals(['importance', 'impact']));
  expect(await bench.get(query)).toEqual(wanted);
});

test('the times of prices are read in one zone if they state none', async () => {
  const { get, sandbox } = await open();
  const time = '2026-11-20T09:00:00';
  const rewrite = (body: unknown, asked: string) => {
    const data = upstreamAnswer(sandbox, 'B', asked).data.map((one) => ({
      ...one,
      updatedAt: time,
    }));
    return { ...Object(body), timestamp: time, data };
  };
  sandbox.fault({ kind: 'rewrite', path: '/crypto/prices', rewrite });
  const query = '{ cryptoAssets(first: 1) { timestamp provenance { asOf } nodes { updatedAt } } }';
  const utc = `${time}+00:00`;
  expect(await get(query)).toEqual({
    cryptoAssets: { timestamp: utc, provenance: { asOf: utc }, nodes: [{ updatedAt: utc }] },
  });
});

describe('a value cannot change the path of a request', () => {
  test('a code of the catalog with a slash, a query and a fragment', async () => {
    const bench = await open();
    const code = 'TP/../../fx/rates?x=1#y';
    change(bench, '/v1/macro/catalog', () => [{ code, name: 'odd' }]);
    const { list } = await bench.get<{ list: { nodes: unknown[] } }>(
      '{ list: macroCatalog { nodes { code observations(start: "2026-11-01") { change } } } }',
    );
    // The upstream knows no such series: its 404 is an empty answer.
    expect(list.nodes).toEqual([{ code, observations: { change: null } }]);
    const path = bench.sandbox.requests().at(-1)?.path;
    expect(path).toMatch(/^\/v1\/macro\/series\/TP%2F\.\.%2F\.\.%2Ffx%2Frates%3Fx%3D1%23y\?start=/);
  });

  test('a code of dots alone, which is left out and named', async () => {
    const bench = await open();
    change(bench, '/v1/macro/catalog', () => ['..', 'TP.DK.USD.A'].map((code) => ({ code })));
    const { data, errors, extensions } = await bench.ask<{ list: { nodes: unknown[] } }>(
      '{ list: macroCatalog { nodes { code observations(start: "2026-11-01") { start } } } }',
    );
    const observations = { start: '2026-11-01' };
    expect([data?.list.nodes, errors]).toEqual([[{ code: 'TP.DK.USD.A', observations }], []]);
    expect(extensions.warnings).toMatchObject([{ dataset: 'macro catalog', count: 1 }]);
    expect(extensions.usage.upstream.requests).toBe(2);
  });

  test('a search with an ampersand', async () => {
    const { get, sandbox } = await open();
    const search = 'dolar & "euro"=#?/';
    await get(
      'query ($search: String) { macroCatalog(filter: { search: $search }) { totalCount } }',
      {
        search,
      },
    );
    const path = sandbox.requests()[0]?.path ?? '';
    expect([...new URLSearchParams(path.split('?')[1])]).toEqual([['q', search]]);
  });
});
