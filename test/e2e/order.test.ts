import { describe, expect, test } from 'vitest';
import { assetsBelow500 } from '../upstream.ts';
import { type Bench, open } from '../harness.ts';

/** `orderBy` sorts what is cached, without costing a unit more. */

type Row = Record<string, string | number | null> & { id: string };
interface Page {
  nodes: Row[];
  pageInfo: { endCursor: string | null; startCursor: string | null; hasNextPage: boolean };
}

const LEVELS = ['LOW', 'MEDIUM', 'HIGH'];
const instant = (row: Row) => Date.parse(String(row['datetime']));
const level = (row: Row) =>
  row['importance'] === null ? null : LEVELS.indexOf(String(row['importance']));
const date = (name: string) => (row: Row) =>
  row[name] === null ? null : Date.parse(String(row[name]));
const number = (name: string) => (row: Row) => row[name] as number | null;

const RANGE = 'filter: { start: "2026-10-01", end: "2026-12-10" }';

const ORDERS: [
  list: string,
  args: string,
  order: string,
  field: string,
  key: (row: Row) => number | null,
][] = [
  ['cryptoAssets', '', 'RANK', 'rank', number('rank')],
  ['cryptoAssets', '', 'PRICE', 'price', number('price')],
  ['cryptoAssets', '', 'CHANGE_1H', 'change1h', number('change1h')],
  ['cryptoAssets', '', 'CHANGE_24H', 'change24h', number('change24h')],
  ['cryptoAssets', '', 'CHANGE_7D', 'change7d', number('change7d')],
  ['cryptoAssets', '', 'VOLUME_24H', 'volume24h', number('volume24h')],
  ['cryptoAssets', '', 'MARKET_CAP', 'marketCap', number('marketCap')],
  ['calendarEvents', RANGE, 'DATETIME', 'datetime', instant],
  ['calendarEvents', RANGE, 'IMPORTANCE', 'importance', level],
  ['calendarEvents', RANGE, 'SURPRISE', 'surprise', number('surprise')],
  ['legislationChanges', RANGE, 'PUBLISHED_AT', 'publishedAt', date('publishedAt')],
  ['legislationChanges', RANGE, 'EFFECTIVE_DATE', 'effectiveDate', date('effectiveDate')],
];

/** Sorts rows; those without a key come last, and those with equal keys keep their order. */
function sorted(rows: readonly Row[], key: (row: Row) => number | null, sign: 1 | -1): Row[] {
  const withKey = rows.filter((row) => key(row) !== null);
  const without = rows.filter((row) => key(row) === null);
  const keys = [...new Set(withKey.map(key))].toSorted((a, b) => sign * (a! - b!));
  return [...keys.flatMap((one) => withKey.filter((row) => key(row) === one)), ...without];
}

async function pageOf({ get }: Bench, list: string, args: string, fields: string): Promise<Page> {
  const all = args === '' ? '' : `(${args})`;
  const data = await get<{ page: Page }>(
    `{ page: ${list}${all} { nodes { id ${fields} } pageInfo { endCursor startCursor hasNextPage } } }`,
  );
  return data.page;
}

const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id);

describe.each(ORDERS)('%s(%s) by %s', (list, args, order, field, key) => {
  test.each(['ASC', 'DESC'] as const)(
    '%s: sorted, stable and paged, at no cost',
    async (direction) => {
      const bench = await open();
      const plain = await pageOf(bench, list, `first: 500 ${args}`, field);
      const spent = bench.sandbox.spent();
      expect(plain.nodes.length).toBeGreaterThan(20);
      const orderBy = `orderBy: { field: ${order}, direction: ${direction} } ${args}`;
      const expected = sorted(plain.nodes, key, direction === 'ASC' ? 1 : -1).map(({ id }) => id);
      expect(idsOf(await pageOf(bench, list, `first: 500 ${orderBy}`, ''))).toEqual(expected);

      const size = Math.ceil(expected.length / 3.5);
      const ids: string[] = [];
      let after = 'null';
      for (let hasNext = true; hasNext;) {
        const page = await pageOf(bench, list, `first: ${size} after: ${after} ${orderBy}`, '');
        ids.push(...idsOf(page));
        hasNext = page.pageInfo.hasNextPage;
        after = JSON.stringify(page.pageInfo.endCursor);
      }
      expect(ids).toEqual(expected);
      expect(bench.sandbox.spent()).toEqual(spent);
    },
  );
});

test.each([
  ['cryptoAssets', 'CHANGE_24H', 'PRICE', 'DESC'],
  ['calendarEvents', 'IMPORTANCE', 'DATETIME', 'ASC'],
  ['legislationChanges', 'EFFECTIVE_DATE', 'PUBLISHED_AT', 'DESC'],
])('a cursor of %s is valid for one order only', async (list, one, other, byDefault) => {
  const bench = await open();
  const orderOf = (field: string, way = byDefault) =>
    `orderBy: { field: ${field}, direction: ${way} }`;
  const { pageInfo } = await pageOf(bench, list, `first: 2 ${orderOf(one)}`, '');
  const plain = await pageOf(bench, list, 'first: 2', '');
  const spent = bench.sandbox.spent();
  const opposite = byDefault === 'ASC' ? 'DESC' : 'ASC';
  for (const [order, name, cursor] of [
    [orderOf(other), 'after', pageInfo.endCursor],
    [orderOf(one, opposite), 'after', pageInfo.endCursor],
    ['', 'before', pageInfo.endCursor],
    [orderOf(one), 'after', plain.pageInfo.endCursor],
  ] as const) {
    const { errors } = await bench.ask(`{ ${list}(${name}: "${cursor}" ${order}) { totalCount } }`);
    expect(errors).toMatchObject([
      {
        message: `${name}: belongs to a list in another order`,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  }
  // The default direction is the same order as that direction written out.
  await pageOf(bench, list, `after: "${pageInfo.endCursor}" orderBy: { field: ${one} }`, '');
  expect(bench.sandbox.spent()).toEqual(spent);
});

test('an order applies to the first 500 assets by rank, or to those of the filter', async () => {
  const bench = await open();
  const low = assetsBelow500(bench.sandbox, 2);
  const gains = await pageOf(
    bench,
    'cryptoAssets',
    'orderBy: { field: CHANGE_24H } first: 5',
    'rank',
  );
  expect(bench.sandbox.spent().credits).toBe(1);
  expect(Math.max(...gains.nodes.map(({ rank }) => Number(rank)))).toBeLessThanOrEqual(500);
  const symbols = JSON.stringify([...low, 'BTC']);
  const filter = `filter: { symbols: ${symbols} } orderBy: { field: PRICE, direction: ASC }`;
  const named = await pageOf(bench, 'cryptoAssets', filter, 'price symbol');
  expect(named.nodes).toEqual(sorted(named.nodes, number('price'), 1));
  expect(named.nodes.map(({ symbol }) => symbol)).toContain('BTC');
  expect(named.nodes).toHaveLength(3);
});
