import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { change } from './change.ts';

/** Ids hold everything that a gateway needs to fetch their object again. */

interface Found {
  one: { id: string } | { nodes: { id: string }[] };
}

const TYPES: [type: string, field: string, selection: string][] = [
  ['FxRate', 'fxRate(pair: "EURUSD")', 'id pair mid history { change }'],
  ['MacroSeries', 'macroSeries(code: "TP.DK.USD.A")', 'id code name observations { change }'],
  [
    'LegislationChange',
    'legislationChanges(first: 1, filter: { start: "2025-03-01", end: "2025-03-31" })',
    'id recordId publishedAt title',
  ],
  [
    'CalendarEvent',
    'calendarEvents(first: 1, filter: { start: "2026-12-07", end: "2026-12-12" })',
    'id recordId datetime event',
  ],
  ['CryptoAsset', 'cryptoAsset(symbol: "ETH")', 'id symbol price convert'],
  [
    'CryptoAsset',
    'cryptoAsset(symbol: "ETH", convert: TRY, exchange: "kraken")',
    'id symbol price convert priceIn(convert: EUR)',
  ],
  [
    'CryptoAsset',
    'cryptoAssets(first: 1, convert: EUR, filter: { interval: ONE_HOUR })',
    'id symbol price convert',
  ],
];

describe('an object is found again by its id', () => {
  test.each(TYPES)('%s, by a gateway with an empty cache: %s', async (type, field, selection) => {
    const { get, another } = await open();
    const isList = /^[a-zA-Z]+s\(first/.test(field);
    const inner = isList ? `nodes { ${selection} }` : selection;
    const { one } = await get<Found>(`{ one: ${field} { ${inner} } }`);
    const object = 'nodes' in one ? one.nodes[0] : one;
    const id = object?.id;
    expect(id).toMatch(new RegExp(`^${type}:`));
    const { get: getElsewhere } = await another();
    const found = await getElsewhere<{ node: unknown; nodes: unknown[] }>(
      `query ($id: ID!) {
        node(id: $id) { id __typename ... on ${type} { ${selection} } }
        nodes(ids: [$id, $id]) { ... on ${type} { ${selection} } } }`,
      { id },
    );
    expect(found.node).toEqual({ ...object, __typename: type });
    expect(found.nodes).toEqual([object, object]);
  });

  test('CryptoAsset, one that ranks below 500', async () => {
    const { sandbox, get, another } = await open();
    const [symbol] = assetsBelow500(sandbox, 1);
    const { one } = await get<{ one: { id: string } }>(
      `{ one: cryptoAsset(symbol: "${symbol}") { id ... on CryptoAsset { rank } } }`,
    );
    const { get: getFresh } = await another();
    const { node } = await getFresh<{ node: unknown }>(
      `{ node(id: "${one.id}") { id ... on CryptoAsset { rank } } }`,
    );
    expect(node).toEqual(one);
  });

  test('objects of two datasets together, in the order asked for', async () => {
    const { get, cost } = await open();
    const ids = [
      'CryptoAsset:BTC:USD::',
      'FxRate:USDTRY',
      'CryptoAsset:ETH:USD::',
      'FxRate:EURTRY',
    ];
    const query = `{ nodes(ids: ${JSON.stringify(ids)}) { id } }`;
    expect(await cost(query)).toBe(2);
    expect(await get(query)).toEqual({ nodes: ids.map((id) => ({ id })) });
  });
});

test.each(['A B', 'A,B', ' ', '"', '💱', 'a:b/c'])(
  'the id of an asset is accepted, however odd its ticker is (%s)',
  async (symbol) => {
    const bench = await open();
    change(bench, '/crypto/prices', ([first, ...rest]) => [{ ...first, symbol }, ...rest]);
    const { list } = await bench.get<{ list: { nodes: [{ id: string; symbol: string }] } }>(
      '{ list: cryptoAssets(first: 1) { nodes { id symbol } } }',
    );
    const [node] = list.nodes;
    expect(node.symbol).toBe(symbol);
    const query = 'query ($id: ID!) { node(id: $id) { id ... on CryptoAsset { symbol } } }';
    expect(await bench.get(query, { id: node.id })).toEqual({ node });
  },
);

test('an id whose object is gone gives null without an error', async () => {
  const { get } = await open();
  const ids = [
    'FxRate:XXXYYY',
    'MacroSeries:TP.NOT.THERE',
    'LegislationChange:2025-03-03:gone',
    'CalendarEvent:2026-12-07:gone',
    'CryptoAsset:NOSUCH:USD::',
  ];
  const fields = ids.map((id, i) => `n${i}: node(id: "${id}") { id }`).join(' ');
  const data = await get<Record<string, unknown>>(
    `{ ${fields} nodes(ids: ${JSON.stringify(ids)}) { id } }`,
  );
  const { nodes, ...single } = data;
  expect(Object.values(single)).toEqual(ids.map(() => null));
  expect(nodes).toEqual(ids.map(() => null));
});

describe('ids differ if fields differ', () => {
  test('an asset in three currencies, on two exchanges and by two intervals', async () => {
    const { get } = await open();
    const data = await get<Record<string, { nodes: { id: string }[] }>>(`{
      a: cryptoAssets(first: 1) { nodes { id price } }
      b: cryptoAssets(first: 1, convert: TRY) { nodes { id price } }
      c: cryptoAssets(first: 1, convert: EUR) { nodes { id price } }
      d: cryptoAssets(first: 1, filter: { exchange: "kraken" }) { nodes { id price } }
      e: cryptoAssets(first: 1, filter: { exchange: "okx" }) { nodes { id price } }
      f: cryptoAssets(first: 1, filter: { interval: ONE_DAY }) { nodes { id price } }
      g: cryptoAssets(first: 1, filter: { interval: ONE_WEEK }) { nodes { id price } } }`);
    const ids = Object.values(data).map(({ nodes }) => nodes[0]?.id);
    expect(new Set(ids).size).toBe(7);
  });

  test('no two objects of a list share an id', async () => {
    const { get } = await open();
    const lists = await get<Record<string, { nodes: { id: string }[] }>>(`{
      a: fxRates(first: 500) { nodes { id } }
      b: macroCatalog(first: 500) { nodes { id } }
      c: legislationChanges(first: 500, filter: { start: "2026-06-01" }) { nodes { id } }
      d: calendarEvents(first: 500, filter: { start: "2026-10-01" }) { nodes { id } }
      e: cryptoAssets(first: 500) { nodes { id } } }`);
    const ids = Object.values(lists).flatMap(({ nodes }) => nodes.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(1000);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('more than 500 ids are refused', async () => {
  const { ask, sandbox } = await open();
  const ids = Array.from({ length: 501 }, () => 'FxRate:USDTRY');
  const { errors } = await ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(sandbox.requests()).toEqual([]);
});
