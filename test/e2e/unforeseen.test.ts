import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { upstreamAnswer, type UpstreamRecord } from '../upstream.ts';
import { addTwin, change, CHANGES } from './change.ts';

/** Answers that do not quite follow the spec: what can be read is served. */

const without = (record: UpstreamRecord = {}, ...fields: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));

const EVENT_FIELDS = `recordId datetime country currency event indicator importance period actual
  forecast previous unit surprise impact released`;

describe('what the spec leaves open', () => {
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
    expect(list.nodes.map(({ rank }) => rank)).toEqual([1, null, null, null]);
  });

  test('assets are sorted by rank, and a ticker that two share means the better ranked one', async () => {
    const bench = await open();
    change(bench, '/crypto', ([first, second, ...rest]) => {
      const duplicate = { ...second, symbol: first?.['symbol'], rank: 700 };
      return [...rest.toReversed(), duplicate, second!, first!];
    });
    const { list, one } = await bench.get<{ list: { nodes: unknown[] }; one: unknown }>(
      '{ list: cryptoAssets(first: 2) { nodes { rank } } one: cryptoAsset(symbol: "BTC") { rank } }',
    );
    expect([list.nodes, one]).toEqual([[{ rank: 1 }, { rank: 2 }], { rank: 1 }]);
  });

  interface Twin {
    id: string;
    price: number;
    inEuro: number;
  }

  test('two assets that share a ticker each have an id by which they are found again', async () => {
    const bench = await open();
    addTwin(bench, 'Twin: 2');
    const fields = 'id name price inEuro: priceIn(convert: EUR)';
    for (const convert of ['TRY', 'USD']) {
      const { list } = await bench.get<{ list: { nodes: Twin[] } }>(
        `{ list: cryptoAssets(first: 3, convert: ${convert}) { nodes { ${fields} } } }`,
      );
      const ids = list.nodes.map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
      const found = await bench.get<{ nodes: unknown[] }>(
        `{ nodes(ids: ${JSON.stringify(ids)}) { ... on CryptoAsset { ${fields} } } }`,
      );
      expect(found.nodes).toEqual(list.nodes);
      const [bitcoin, , twin] = list.nodes;
      expect(twin!.inEuro / bitcoin!.inEuro).toBeCloseTo(twin!.price / bitcoin!.price, 3);
    }
    const twin =
      '{ node(id: "CryptoAsset:BTC:USD:::Twin%3A%202") { ... on CryptoAsset { rank } } }';
    expect(await bench.cost(twin)).toBe(0);
    const missingId = 'CryptoAsset:BTC:USD:::Nobody';
    expect(await bench.get(`{ node(id: "${missingId}") { id } }`)).toEqual({ node: null });
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

  test('odd numbers beside the data do not spoil the data', async () => {
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
