import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { upstreamAnswer, type UpstreamRecord } from '../upstream.ts';

/** Answers that are not quite as the spec has them: what can be read is served, the rest is named. */

/** Changes the records of every success answer under a path. */
function change({ sandbox }: Bench, path: string, edit: (records: UpstreamRecord[]) => unknown[]) {
  const rewrite = (body: unknown, asked: string) => {
    const { data } = upstreamAnswer(sandbox, path.startsWith('/v1') ? 'A' : 'B', asked);
    return Object.assign({}, body, { data: edit(data) });
  };
  sandbox.fault({ kind: 'rewrite', path, rewrite });
}

const without = (record: UpstreamRecord = {}, ...fields: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));

const CHANGES = 'filter: { start: "2026-11-16", end: "2026-11-20" }';

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
    // The answer stays incomplete for as long as it is kept, and says so to everybody.
    expect((await bench.ask(query)).extensions.warnings).toEqual(extensions.warnings);
    const { extensions: other } = await bench.ask('{ usage { fx { limit } } }');
    expect(other.warnings).toBeUndefined();
  });
});

const EVENT_FIELDS = `recordId datetime country currency event indicator importance period actual
  forecast previous unit surprise impact released`;

describe('what the spec does not foresee', () => {
  test('an unknown kind of instrument or change is OTHER and keeps its code', async () => {
    const bench = await open();
    const odd = { type: 'cumhurbaskanligi-karari', changeType: 'duzeltme' };
    change(bench, '/legislation', (records) => records.map((record) => ({ ...record, ...odd })));
    const { list } = await bench.get<{ list: { nodes: unknown[] } }>(
      `{ list: legislationChanges(${CHANGES}) { nodes { type typeCode changeType changeTypeCode } } }`,
    );
    const { type: typeCode, changeType: changeTypeCode } = odd;
    expect(list.nodes[0]).toEqual({ type: 'OTHER', typeCode, changeType: 'OTHER', changeTypeCode });
    const { some } = await bench.get<{ some: { totalCount: number } }>(`{
      some: legislationChanges(filter: { start: "2026-11-16", types: [OTHER], changeTypes: [OTHER] }) {
        totalCount } }`);
    expect(some.totalCount).toBe(list.nodes.length);
  });

  test('a new importance or impact is null', async () => {
    const bench = await open();
    const odd = { importance: 'extreme', impact: 'mixed' };
    change(bench, '/calendar', (records) => records.map((record) => ({ ...record, ...odd })));
    const { list } = await bench.get<{ list: { nodes: unknown[] } }>(
      '{ list: calendarEvents { nodes { importance impact } } }',
    );
    expect(list.nodes[0]).toEqual({ importance: null, impact: null });
  });

  test('a rank that is no Int is null', async () => {
    const bench = await open();
    change(bench, '/crypto', (records) =>
      records.map((record, i) => ({ ...record, rank: [1, 1.5, 3e9][i] })),
    );
    const query = '{ list: cryptoAssets(first: 4) { nodes { rank } } }';
    const { list } = await bench.get<{ list: { nodes: { rank: unknown }[] } }>(query);
    const ranks = list.nodes.map(({ rank }) => rank);
    expect(ranks.toSorted()).toEqual([1, null, null, null]);
  });

  test('assets come by rank, and the best of two with one ticker is meant by it', async () => {
    const bench = await open();
    change(bench, '/crypto', ([first, second, ...rest]) => {
      const twin = { ...second, symbol: first?.['symbol'], rank: 700 };
      return [...rest.toReversed(), twin, second!, first!];
    });
    const { list, one } = await bench.get<{ list: { nodes: unknown[] }; one: unknown }>(
      '{ list: cryptoAssets(first: 2) { nodes { rank } } one: cryptoAsset(symbol: "BTC") { rank } }',
    );
    expect([list.nodes, one]).toEqual([[{ rank: 1 }, { rank: 2 }], { rank: 1 }]);
  });

  test('a parent law without a name and an empty date are null', async () => {
    const bench = await open();
    const odd = { parentLaw: { name: null, number: '-' }, effectiveDate: '' };
    change(bench, '/legislation', (records) => records.map((record) => ({ ...record, ...odd })));
    const { list } = await bench.get<{ list: { nodes: unknown[] } }>(
      `{ list: legislationChanges(${CHANGES}, first: 1) { nodes { parentLaw { name } effectiveDate } } }`,
    );
    expect(list.nodes).toEqual([{ parentLaw: null, effectiveDate: null }]);
  });

  test('odd numbers beside the data cost nobody the data', async () => {
    const bench = await open();
    const odd = { creditsRemaining: -1, total: 'many' };
    const rewrite = (body: unknown) => Object.assign({}, body, odd);
    bench.sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
    const { errors, extensions } = await bench.ask(
      `{ legislationChanges(${CHANGES}) { totalCount } cryptoAssets { totalCount } }`,
    );
    expect([errors, extensions.usage.credits.used]).toEqual([[], 2]);
  });

  test('unknown fields are ignored, in records and beside them', async () => {
    const query = `{ rates: fxRates { nodes { pair mid } } assets: cryptoAssets { nodes { price } } }`;
    const plain = await (await open()).get(query);
    const bench = await open();
    bench.sandbox.fault({
      kind: 'rewrite',
      rewrite: (body, path) => {
        const { data } = upstreamAnswer(bench.sandbox, path.startsWith('/v1') ? 'A' : 'B', path);
        const more = data.map((record) => ({ ...record, novelty: { deep: [1] } }));
        return Object.assign({}, body, { data: more, novelty: true });
      },
    });
    expect(await bench.get(query)).toEqual(plain);
  });

  test('optional fields that are all absent are null', async () => {
    const bench = await open();
    const kept = ['id', 'datetime', 'country', 'event'];
    change(bench, '/calendar', (records) =>
      records.map((record) => Object.fromEntries(kept.map((f) => [f, record[f]]))),
    );
    change(bench, '/legislation', (records) => [
      without(records[0], 'effectiveDate', 'parentLaw', 'institution', 'topics', 'summary', 'diff'),
    ]);
    const { events, changes } = await bench.get<Record<string, { nodes: unknown[] }>>(`{
      events: calendarEvents { nodes { ${EVENT_FIELDS} } }
      changes: legislationChanges(${CHANGES}) { nodes {
        effectiveDate parentLaw { name } institution topics summary diff { after } } } }`);
    const empty = Object.fromEntries(EVENT_FIELDS.split(/\s+/).map((field) => [field, null]));
    const text = expect.any(String);
    const given = { recordId: text, datetime: text, country: text, event: text };
    expect(events?.nodes[0]).toEqual({ ...empty, ...given, released: false });
    const none = { effectiveDate: null, parentLaw: null, institution: null };
    expect(changes?.nodes).toEqual([{ ...none, topics: [], summary: null, diff: null }]);
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
