import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { open } from '../harness.ts';

/** Relay connections of every dataset, forward and backward. */

const RANGE = 'filter: { start: "2026-10-01", end: "2026-11-20" }';

const LISTS: [field: string, filter: string][] = [
  ['fxRates', ''],
  ['macroCatalog', ''],
  ['legislationChanges', RANGE],
  ['calendarEvents', RANGE],
  ['cryptoAssets', ''],
];

interface Page {
  nodes: { id: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

const PAGE = `nodes { id } edges { cursor node { id } } totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id);

describe.each(LISTS)('%s', (field, filter) => {
  /** Reads pages of one list; all after the first come from the cache. */
  async function openList() {
    const { get, sandbox } = await open();
    const page = async (args: string) => {
      const data = await get<{ page: Page }>(`{ page: ${field}(${filter} ${args}) { ${PAGE} } }`);
      return data.page;
    };
    return { page, whole: await page('first: 500'), sandbox };
  }

  test('is read forward to its end by its cursors, for the cost of the first page', async () => {
    const { page, whole, sandbox } = await openList();
    const size = Math.ceil(whole.totalCount / 3.5);
    const ids: string[] = [];
    let after = 'null';
    let pages = 0;
    for (let hasNext = true; hasNext; pages += 1) {
      const found = await page(`first: ${size} after: ${after}`);
      ids.push(...idsOf(found));
      expect(found.pageInfo.hasPreviousPage).toBe(pages > 0);
      expect(found.totalCount).toBe(whole.totalCount);
      hasNext = found.pageInfo.hasNextPage;
      after = JSON.stringify(found.pageInfo.endCursor);
    }
    expect(ids).toEqual(idsOf(whole));
    expect(new Set(ids).size).toBe(whole.totalCount);
    expect(pages).toBe(4);
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('is read backward to its beginning by its cursors', async () => {
    const { page, whole } = await openList();
    const size = Math.ceil(whole.totalCount / 2.5);
    const ids: string[] = [];
    let before = 'null';
    let pages = 0;
    for (let hasPrevious = true; hasPrevious; pages += 1) {
      const found = await page(`last: ${size} before: ${before}`);
      ids.unshift(...idsOf(found));
      expect(found.pageInfo.hasNextPage).toBe(pages > 0);
      hasPrevious = found.pageInfo.hasPreviousPage;
      before = JSON.stringify(found.pageInfo.startCursor);
    }
    expect(ids).toEqual(idsOf(whole));
    expect(pages).toBe(3);
  });

  test('has one edge with its cursor for every node, and knows its ends', async () => {
    const { page, whole } = await openList();
    expect(whole.edges.map(({ node }) => node)).toEqual(whole.nodes);
    expect(new Set(whole.edges.map(({ cursor }) => cursor)).size).toBe(whole.totalCount);
    expect(whole.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: whole.edges[0]?.cursor,
      endCursor: whole.edges.at(-1)?.cursor,
    });
    const [third, fifth] = [whole.edges[2]?.cursor, whole.edges[4]?.cursor];
    const between = await page(`after: "${third}" before: "${fifth}"`);
    expect(idsOf(between)).toEqual(idsOf(whole).slice(3, 4));
    const none = await page('first: 0');
    const ends = { startCursor: null, endCursor: null };
    expect([none.nodes, none.edges, none.totalCount]).toEqual([[], [], whole.totalCount]);
    expect(none.pageInfo).toMatchObject({ ...ends, hasNextPage: true });
    expect(idsOf(await page(`after: "${whole.pageInfo.endCursor}"`))).toEqual([]);
  });

  test('has 100 nodes by default', async () => {
    const { page, whole } = await openList();
    const plain = await page('first: null');
    expect(idsOf(plain)).toEqual(idsOf(whole).slice(0, 100));
    expect(plain.pageInfo.hasNextPage).toBe(whole.totalCount > 100);
  });
});

test('totalCount counts what matches the filter', async () => {
  const { get } = await open();
  const data = await get<Record<string, { totalCount: number; nodes: unknown[] }>>(`{
    rates: fxRates(filter: { quote: "TRY" }) { totalCount nodes { id } }
    series: macroCatalog(filter: { codePrefix: "TP.DK" }) { totalCount nodes { id } }
    changes: legislationChanges(filter: { start: "2026-11-01", types: [LAW] }) { totalCount nodes { id } }
    events: calendarEvents(filter: { countries: ["TR"] }) { totalCount nodes { id } }
    assets: cryptoAssets(filter: { symbols: ["BTC", "ETH", "NOSUCH"] }) { totalCount nodes { id } } }`);
  const counts = Object.values(data).map(({ totalCount }) => totalCount);
  expect(counts).toEqual(Object.values(data).map(({ nodes }) => nodes.length));
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(data['assets']?.totalCount).toBe(2);
});

test("legislation's totalCount is the upstream's if its answer is cut short, and a warning says so", async () => {
  const { ask } = await open({ legislationPageSize: 20 });
  const whole = await ask<{ list: Page }>(
    `{ list: legislationChanges(${RANGE}) { totalCount nodes { id } } }`,
  );
  expect(whole.data.list.nodes).toHaveLength(20);
  expect(whole.data.list.totalCount).toBeGreaterThan(100);
  expect(whole.extensions.warnings).toMatchObject([{ dataset: 'legislation' }]);
});

test('without an end, what is published after today is not counted, whether the answer is whole or cut short', async () => {
  for (const legislationPageSize of [100, 2]) {
    const bench = await open({ legislationPageSize });
    await bench.ask(`{ legislationChanges(filter: { start: "2026-11-01" }) { totalCount } }`);
    const asked = bench.sandbox.requests().filter(({ path }) => path.includes('/legislation'));
    expect(asked.length).toBeGreaterThan(0);
    for (const { path } of asked) expect(path).toContain('&end=2026-11-20');
  }
});

test('totalCount of a kind of change, which the upstream cannot count, is that of the records received', async () => {
  const { ask } = await open({ legislationPageSize: 2 });
  const kinds = 'changeTypes: [ADDITION, AMENDMENT, REPEAL, OTHER]';
  const { data } = await ask<{ list: Page }>(
    `{ list: legislationChanges(${RANGE.replace('}', `, ${kinds} }`)}) { totalCount nodes { id } } }`,
  );
  expect(data.list.nodes).toHaveLength(2);
  expect(data.list.totalCount).toBe(2);
});

test('a cursor stays valid when the list has changed', async () => {
  const { get, clock, sandbox } = await open();
  const query = `query ($after: String) { page: cryptoAssets(first: 3, after: $after) { ${PAGE} } }`;
  const { page } = await get<{ page: Page }>(query);
  clock.advance(60_000);
  // The third asset has fallen behind the sixth.
  const rewrite = (body: unknown) => {
    const { data } = z.object({ data: z.array(z.looseObject({})) }).parse(body);
    const moved = data.toSpliced(2, 1).toSpliced(5, 0, data[2]!);
    return Object.assign({}, body, {
      data: moved.map((record, i) => ({ ...record, rank: i + 1 })),
    });
  };
  sandbox.fault({ kind: 'rewrite', path: '/crypto', rewrite });
  const next = await get<{ page: Page }>(query, { after: page.pageInfo.endCursor });
  const now = await get<{ page: Page }>(query.replace('first: 3', 'first: 9'));
  expect(idsOf(now.page)[5]).toBe(idsOf(page)[2]);
  expect(idsOf(next.page)).toEqual(idsOf(now.page).slice(6, 9));
});
