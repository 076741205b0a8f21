import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/time.ts';
import { open, temporaryFolder } from '../harness.ts';
import { openSse } from '../live/sse.ts';
import { fileIn, stored } from './stored.ts';

/** Answers that several gateways on one DATA_DIR share, or that one finds after a restart, as they grow old. */

const SHORT_TTLS = { TTL_FX_RATES: '60', TTL_CRYPTO: '30' };

/** Opens a gateway, and provides a way to open others beside it. */
async function openShared(env: Record<string, string> = {}) {
  const common = { DATA_DIR: temporaryFolder(), ...SHORT_TTLS, ...env };
  const bench = await open({ env: common });
  const isStored = (count: number) => stored(common.DATA_DIR, count);
  return { ...bench, folder: common.DATA_DIR, isStored, openAnother: () => bench.another(common) };
}

test('an answer of another gateway keeps its age', async () => {
  const { ask, clock, isStored, openAnother } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } provenance { retrievedAt stale } } }';
  const first = await ask(query);
  await isStored(1);
  clock.advance(59_000);
  const other = await openAnother();
  expect((await other.ask(query)).data).toEqual(first.data);
  expect(await other.cost('{ fxRates(first: 2) { totalCount } }')).toBe(0);
  clock.advance(1000);
  expect(await other.cost(query)).toBe(1);
});

test('an answer from before the clock was set back may be of any age; a correction makes none fresh for longer', async () => {
  const { ask, clock, isStored, openAnother } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } } }';
  await ask(query);
  await isStored(1);
  clock.advance(-4000);
  const corrected = await openAnother();
  expect(await corrected.cost(query)).toBe(0);
  clock.advance(-2000);
  expect(await (await openAnother()).cost(query)).toBe(1);
  clock.advance(62_000);
  expect(await corrected.cost(query)).toBe(1);
});

test('an answer of unknown age teaches nothing about how fast data may age', async () => {
  const { ask, clock, isStored, openAnother } = await openShared();
  const query = '{ cryptoAssets(first: 1) { nodes { price } } }';
  await ask(query);
  await isStored(1);
  clock.advance(-7_200_000);
  const { cost, get } = await openAnother();
  for (const waited of [0, 31_000, 61_000]) {
    clock.advance(waited);
    expect(await cost(query)).toBe(1);
  }
  const forecast = await get('{ usage { credits { forecast { monthEnd stretch } } } }');
  expect(forecast).toMatchObject({ usage: { credits: { forecast: { stretch: 1 } } } });
});

test('an answer that is good for less time does not replace a better one for later processes', async () => {
  const { cost, clock, isStored, openAnother } = await openShared();
  const settled =
    '{ legislationChanges(filter: { start: "2026-10-01", end: "2026-10-05" }) { totalCount } }';
  expect(await cost(settled)).toBe(1);
  await isStored(1);
  expect(await cost('{ legislationChanges { totalCount } }')).toBe(1);
  await isStored(3);
  clock.advance(16 * 60_000);
  expect(await (await openAnother()).cost(settled)).toBe(0);
});

test('a refresh by one gateway is used by the others', async () => {
  const { ask, cost, clock, isStored, openAnother } = await openShared();
  const query = '{ cryptoAssets(first: 2) { nodes { price } timestamp } }';
  const other = await openAnother();
  await ask(query);
  await other.ask(query);
  await isStored(1);
  clock.advance(31_000);
  const refreshed = await other.ask(query);
  expect(refreshed.extensions.usage.credits.used).toBe(1);
  expect((await ask(query)).data).toEqual(refreshed.data);
  expect(await cost(query)).toBe(0);
});

test('if the file is removed, what one gateway stores in the new one is used by the others', async () => {
  const { ask, clock, folder, isStored, openAnother } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } } }';
  const other = await openAnother();
  await ask(query);
  await isStored(1);
  expect(await other.cost(query)).toBe(0);
  for (const end of ['', '-wal', '-shm']) rmSync(fileIn(folder) + end, { force: true });
  clock.advance(61_000);
  await ask(query);
  await isStored(1);
  expect(await other.cost(query)).toBe(0);
});

test('subscribers are not told again what another gateway had already found', async () => {
  const env = { DATA_DIR: temporaryFolder(), TTL_CRYPTO: '0.1' };
  const { ask, clock, another } = await open({ env, unreadUnits: { credits: 2 } });
  await ask('{ cryptoAssets(first: 3) { nodes { price } } }');
  await stored(env.DATA_DIR, 1);
  const { url, get } = await another(env);
  const query = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
  const polled = () => get('{ usage { credits { background } } }');
  const { events, leave } = await openSse(url, { query });
  await expect.poll(() => events).toHaveLength(1);
  clock.advance(100);
  await expect.poll(polled).toEqual({ usage: { credits: { background: 1 } } });
  clock.advance(5000);
  await expect.poll(() => events).toHaveLength(2);
  expect(events[1]?.data).not.toEqual(events[0]?.data);
  leave();
});

test('stale answers are served if the upstream is down, also after a restart', async () => {
  const { ask, clock, sandbox, isStored, openAnother } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } provenance { stale } } }';
  const { data } = await ask<{ fxRates: { nodes: object[] } }>(query);
  await isStored(1);
  clock.advance(3_600_000);
  sandbox.fault({ kind: 'status', status: 503 });
  const again = await (await openAnother()).ask(query);
  expect(again.errors).toEqual([]);
  expect(again.data).toEqual({ fxRates: { ...data.fxRates, provenance: { stale: true } } });
});

test('an answer that is past its end is not served any more, although nothing was stored since', async () => {
  const { ask, clock, sandbox, isStored, openAnother } = await openShared();
  const query = '{ fxRates(first: 1) { nodes { buying } provenance { stale } } }';
  await ask(query);
  await isStored(1);
  sandbox.fault({ kind: 'status', status: 503 });
  clock.advance(39 * DAY_MS);
  expect((await (await openAnother()).ask(query)).errors).toEqual([]);
  clock.advance(3 * DAY_MS);
  const { errors } = await (await openAnother()).ask(query);
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
});

test('tickers that were found once are requested along with others, also after a restart', async () => {
  const { ask, clock, sandbox, isStored, openAnother } = await openShared();
  await ask('{ cryptoAsset(symbol: "NOVZ") { symbol } }');
  await isStored(2);
  clock.advance(3_600_000);
  const other = await openAnother();
  // In one request: it is known that this asset is not among the first.
  expect(await other.cost('{ cryptoAsset(symbol: "NOVZ") { symbol } }')).toBe(1);
  await isStored(2);
  clock.advance(3_600_000);
  const third = await openAnother();
  await third.ask('{ cryptoAsset(symbol: "NOVM") { symbol } }');
  expect(sandbox.requests().at(-1)?.path).toContain('symbols=NOVZ%2CNOVM');
});

test('the history of a pair needs no fresh rates if another gateway has had a list', async () => {
  const { ask, clock, isStored, openAnother } = await openShared();
  const other = await openAnother();
  await ask('{ fxRates(first: 1) { totalCount } }');
  await isStored(1);
  clock.advance(120_000);
  expect(await other.cost('{ fxRate(pair: "USDTRY") { history { change } } }')).toBe(1);
});

test('the values of a series need no fresh catalog if another gateway has had one', async () => {
  const { ask, clock, isStored, openAnother } = await openShared();
  const other = await openAnother();
  const { data } = await ask<{ macroCatalog: { nodes: { code: string }[] } }>(
    '{ macroCatalog(first: 1) { nodes { code } } }',
  );
  await isStored(1);
  clock.advance(7 * 3_600_000);
  const { code } = data.macroCatalog.nodes[0]!;
  expect(await other.cost(`{ macroSeries(code: "${code}") { observations { change } } }`)).toBe(1);
});

test('answers of another upstream are kept apart', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const { ask, sandbox, another } = await openShared();
  const query = '{ fxRates(first: 1) { totalCount } }';
  await ask(query);
  const first = await another(env);
  await first.ask(query);
  const moved = sandbox.groupA.url.replace('127.0.0.1', 'localhost');
  expect(await (await another({ ...env, GROUP_A_URL: moved })).cost(query)).toBe(1);
  const spelled = `${sandbox.groupA.url.replace('http:', 'HTTP:')}//`;
  expect(await (await another({ ...env, GROUP_A_URL: spelled })).cost(query)).toBe(0);
  expect(await (await another(env)).cost(query)).toBe(0);
});
