import { describe, expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { stored } from './stored.ts';

/** Answers that several gateways on one DATA_DIR share, or the same one after a restart. */

const SHORT = { TTL_FX_RATES: '60', TTL_CRYPTO: '30' };

/** A gateway, and how to open others beside it. */
async function openShared(env: Record<string, string> = {}) {
  const common = { DATA_DIR: temporaryFolder(), ...SHORT, ...env };
  const bench = await open({ env: common });
  const isStored = (count: number) => stored(common.DATA_DIR, count);
  return { ...bench, isStored, beside: () => bench.another(common) };
}

const EVERYTHING: [dataset: string, query: string][] = [
  ['rates', '{ fxRates(first: 3) { nodes { pair buying } } }'],
  [
    'a history',
    '{ fxRate(pair: "USDTRY") { history(start: "2026-10-01") { points { date value } } } }',
  ],
  ['the catalog', '{ macroCatalog(first: 3) { nodes { code name } } }'],
  ['a search of the catalog', '{ macroCatalog(filter: { search: "TP" }) { totalCount } }'],
  ['a calendar', '{ calendarEvents(first: 5) { nodes { id datetime actual } } }'],
  [
    'legislation by day',
    '{ legislationChanges(filter: { start: "2026-11-01" }, first: 5) { nodes { id title } } }',
  ],
  [
    'legislation without a start',
    '{ legislationChanges(first: 5) { nodes { id title } totalCount } }',
  ],
  ['assets by rank', '{ cryptoAssets(first: 5) { nodes { symbol price } } }'],
  ['an asset in lira', '{ cryptoAsset(symbol: "BTC", convert: TRY) { price } }'],
  ['an asset that has no rank', '{ cryptoAsset(symbol: "NOVZ") { symbol price } }'],
  ['an asset that nobody has', '{ cryptoAsset(symbol: "NOBODYHAS") { symbol } }'],
];

test.each(EVERYTHING)('%s: asked by one gateway, the others need not', async (_dataset, query) => {
  const { ask, sandbox, beside } = await openShared();
  const first = await ask(query);
  expect(first.errors).toEqual([]);
  const spent = sandbox.requests().length;
  const others = [await beside(), await beside()];
  for (const other of others) {
    const { data, errors, extensions } = await other.ask(query);
    expect([data, errors]).toEqual([first.data, []]);
    expect(extensions.usage.upstream).toMatchObject({ requests: 0, stale: 0 });
  }
  expect(sandbox.requests()).toHaveLength(spent);
});

test('what others have is as old as it is there', async () => {
  const { ask, clock, isStored, beside } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } provenance { retrievedAt stale } } }';
  const first = await ask(query);
  await isStored(1);
  clock.advance(59_000);
  const other = await beside();
  expect((await other.ask(query)).data).toEqual(first.data);
  expect(await other.cost('{ fxRates(first: 2) { totalCount } }')).toBe(0);
  clock.advance(1000);
  expect(await other.cost(query)).toBe(1);
});

test('a refresh by one is taken up by the others', async () => {
  const { ask, cost, clock, isStored, beside } = await openShared();
  const query = '{ cryptoAssets(first: 2) { nodes { price } timestamp } }';
  const other = await beside();
  await ask(query);
  await other.ask(query);
  await isStored(1);
  clock.advance(31_000);
  const refreshed = await other.ask(query);
  expect(refreshed.extensions.usage.credits.used).toBe(1);
  expect((await ask(query)).data).toEqual(refreshed.data);
  expect(await cost(query)).toBe(0);
});

describe('ranges', () => {
  const history = (start: string, end: string) =>
    `{ fxRate(pair: "EURTRY") { history(start: "${start}", end: "${end}") { points { date value } } } }`;

  test('a wider one costs one request, whoever had the narrow one', async () => {
    const { ask, beside } = await openShared({ WIDEN_MAX_BYTES: '0' });
    const other = await beside();
    await ask(history('2026-03-01', '2026-03-31'));
    expect(await other.cost(history('2026-03-10', '2026-03-20'))).toBe(0);
    expect(await other.cost(history('2026-02-01', '2026-03-31'))).toBe(1);
    expect(await (await beside()).cost(history('2026-02-15', '2026-03-15'))).toBe(0);
  });
});

test('old answers are served where the upstream is down, after a restart too', async () => {
  const { ask, clock, sandbox, isStored, beside } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } provenance { stale } } }';
  const { data } = await ask<{ fxRates: { nodes: object[] } }>(query);
  await isStored(1);
  clock.advance(3_600_000);
  sandbox.fault({ kind: 'status', status: 503 });
  const again = await (await beside()).ask(query);
  expect(again.errors).toEqual([]);
  expect(again.data).toEqual({ fxRates: { ...data.fxRates, provenance: { stale: true } } });
});

test('tickers once found are asked for along with others, after a restart too', async () => {
  const { ask, clock, sandbox, isStored, beside } = await openShared();
  await ask('{ cryptoAsset(symbol: "NOVZ") { symbol } }');
  await isStored(2);
  clock.advance(3_600_000);
  const other = await beside();
  // In one request: it is known that it is not among the first.
  expect(await other.cost('{ cryptoAsset(symbol: "NOVZ") { symbol } }')).toBe(1);
  await isStored(2);
  clock.advance(3_600_000);
  const third = await beside();
  await third.ask('{ cryptoAsset(symbol: "NOVM") { symbol } }');
  expect(sandbox.requests().at(-1)?.path).toContain('symbols=NOVZ%2CNOVM');
});

test('legislation that is cut short is known as such to all', async () => {
  const { ask, beside, sandbox } = await openShared();
  sandbox.set({ legislationPageSize: 5 });
  const query =
    '{ legislationChanges(filter: { start: "2026-01-01" }) { totalCount nodes { id } } }';
  const first = await ask(query);
  const other = await (await beside()).ask(query);
  expect(other.data).toEqual(first.data);
  expect(other.extensions.warnings).toEqual(first.extensions.warnings);
  expect(other.extensions.usage.upstream.requests).toBe(0);
});

test('what an answer without a start tells of its days, all know', async () => {
  const { ask, isStored, beside } = await openShared();
  await ask('{ legislationChanges { totalCount } }');
  await isStored(2);
  const byDay =
    '{ legislationChanges(filter: { start: "2026-11-10", end: "2026-11-20" }) { totalCount } }';
  expect(await (await beside()).cost(byDay)).toBe(0);
});

test('another upstream has answers of its own', async () => {
  const { ask, sandbox, another } = await openShared();
  const folder = temporaryFolder();
  const env = { DATA_DIR: folder };
  const query = '{ fxRates(first: 1) { totalCount } }';
  await ask(query);
  const first = await another(env);
  await first.ask(query);
  const moved = `${sandbox.groupA.url}/`;
  expect(await (await another({ ...env, GROUP_A_URL: moved })).cost(query)).toBe(1);
  expect(await (await another(env)).cost(query)).toBe(0);
});
