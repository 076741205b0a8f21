import { describe, expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { addTwin } from './change.ts';

/** Past its time to live an answer is refreshed; only if that fails is it served, marked as stale. */

const PROVENANCE = 'provenance { stale retrievedAt }';
const RANGE = 'filter: { start: "2026-11-18", end: "2026-11-20" }';

const DATASETS: [name: string, ttl: number, field: string][] = [
  ['FX rates', 60, `a: fxRates { totalCount ${PROVENANCE} }`],
  ['macro catalog', 21_600, `a: macroCatalog { totalCount ${PROVENANCE} }`],
  ['legislation', 900, `a: legislationChanges(${RANGE}) { totalCount ${PROVENANCE} }`],
  ['calendar', 300, `a: calendarEvents(${RANGE}) { totalCount ${PROVENANCE} }`],
  ['crypto', 30, `a: cryptoAssets { totalCount ${PROVENANCE} }`],
];

interface Answer {
  a: { totalCount: number; provenance: { stale: boolean; retrievedAt: string } };
}

describe('an answer past its time to live', () => {
  test.each(DATASETS)('%s, after %i s, is requested again', async (_name, ttl, field) => {
    const { get, cost, clock } = await open();
    const query = `{ ${field} }`;
    const first = await get<Answer>(query);
    clock.advance(ttl * 1000 - 1);
    expect(await cost(query)).toBe(0);
    clock.advance(1);
    expect(await cost(query)).toBe(1);
    const second = await get<Answer>(query);
    expect(second.a.provenance.stale).toBe(false);
    const age =
      Date.parse(second.a.provenance.retrievedAt) - Date.parse(first.a.provenance.retrievedAt);
    expect(age).toBe(ttl * 1000);
  });

  test.each(DATASETS)('%s, after %i s, is served stale if that fails', async (...given) => {
    const [, ttl, field] = given;
    const { ask, get, clock, sandbox } = await open();
    const query = `{ ${field} }`;
    const first = await get<Answer>(query);
    clock.advance(ttl * 1000);
    sandbox.fault({ kind: 'status', status: 503 });
    const { data, errors, extensions } = await ask<Answer>(query);
    const { provenance } = first.a;
    expect(errors).toEqual([]);
    expect(data.a).toEqual({ ...first.a, provenance: { ...provenance, stale: true } });
    expect(extensions.usage.upstream).toMatchObject({ requests: 2, stale: 1, failed: 2 });
    sandbox.clearFaults();
    clock.advance(60_000);
    expect((await get<Answer>(query)).a.provenance.stale).toBe(false);
  });

  test.each([
    ['an asset', 'a: cryptoAsset(symbol: "BTC") { symbol price }'],
    ['a page', 'a: cryptoAssets(first: 3) { nodes { symbol price } }'],
    ['a node', 'a: node(id: "CryptoAsset:BTC:USD::") { id ... on CryptoAsset { price } }'],
  ])('%s of crypto is served stale if a larger request fails', async (_what, field) => {
    const { ask, get, cost, clock, sandbox } = await open({
      env: { UPSTREAM_BYTES_PER_SECOND: '1000000' },
    });
    const query = `{ ${field} }`;
    const first = await get(query);
    await cost('{ calendarEvents { totalCount } }');
    clock.advance(30_000);
    sandbox.fault({ kind: 'status', status: 500 });
    const { data, errors, extensions } = await ask(query);
    expect([data, errors]).toEqual([first, []]);
    expect(extensions.usage.upstream.stale).toBe(1);
    const asked = sandbox.requests().map(({ path }) => path);
    expect(asked.at(-1)).not.toBe(asked[0]);
  });

  test.each([
    ['history', 300, 'fxRate(pair: "USDTRY")'],
    ['observations', 3600, 'macroSeries(code: "TP.DK.USD.A")'],
  ])('a series (%s), after %i s, is served stale if that fails', async (field, ttl, parent) => {
    const { get, clock, sandbox } = await open();
    const query = `{ one: ${parent} { list: ${field} { ${PROVENANCE} points { date value } } } }`;
    const first = await get<{ one: { list: object } }>(query);
    clock.advance(ttl * 1000);
    sandbox.fault({ kind: 'reset', group: 'A' });
    const second = await get<{ one: { list: { provenance: unknown } } }>(query);
    expect(second.one.list).toMatchObject({ ...first.one.list, provenance: { stale: true } });
  });
});

test('an asset that shares its ticker is served stale from a short list, too', async () => {
  const bench = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '20000' } });
  addTwin(bench, 'Twin');
  await bench.get('{ cryptoAssets(first: 3) { nodes { name } } }');
  const query = '{ node(id: "CryptoAsset:BTC:USD:::Twin") { ... on CryptoAsset { name price } } }';
  const first = await bench.get(query);
  bench.clock.advance(30_000);
  bench.sandbox.clearFaults();
  bench.sandbox.fault({ kind: 'status', status: 503 });
  const { data, errors, extensions } = await bench.ask(query);
  expect([data, errors]).toEqual([first, []]);
  expect(extensions.usage.upstream.stale).toBe(1);
});

test('the default range of a history is refreshed as a whole', async () => {
  const { get, clock } = await open();
  const query = '{ fxRate(pair: "USDTRY") { history { provenance { retrievedAt } } } }';
  await get(query);
  clock.advance(300_000);
  const retrievedAt = new Date(clock.now()).toISOString();
  expect(await get(query)).toEqual({ fxRate: { history: { provenance: { retrievedAt } } } });
});

test('a failure is never cached as data', async () => {
  const { ask, get, clock, sandbox } = await open();
  const query = '{ fxRate(pair: "USDTRY") { pair } cryptoAsset(symbol: "BTC") { symbol } }';
  sandbox.fault({ kind: 'status', status: 500 });
  expect((await ask(query)).errors).toHaveLength(2);
  sandbox.clearFaults();
  clock.advance(60_000);
  expect(await get(query)).toEqual({ fxRate: { pair: 'USDTRY' }, cryptoAsset: { symbol: 'BTC' } });
});

test('an event is requested again at its release, and then has its value', async () => {
  const { get, cost, clock } = await open();
  clock.set('2026-11-20T08:00:00+03:00');
  const query = (filter: string) =>
    `{ list: calendarEvents(first: 1, filter: { ${filter} }) { nodes { recordId datetime actual } } }`;
  interface Events {
    list: { nodes: { recordId: string; datetime: string; actual: number | null }[] };
  }
  const { list } = await get<Events>(query('released: false'));
  const [event] = list.nodes;
  expect(event?.actual).toBeNull();
  const at = Date.parse(event?.datetime ?? '');
  clock.advance(at - clock.now() - 1);
  await get(query('released: false'));
  clock.advance(1);
  const day = event?.datetime.slice(0, 10);
  const released = query(`released: true, start: "${day}", end: "${day}"`).replace('first', 'last');
  expect(await cost(released)).toBe(1);
  const { list: now } = await get<Events>(released);
  expect(now.nodes[0]?.actual).toEqual(expect.any(Number));
  expect(Date.parse(now.nodes[0]?.datetime ?? '')).toBe(at);
});

describe.each([-1, 1])('a wall clock that is set by %i h', (hours) => {
  const SET_MS = hours * 3_600_000;
  const ask = async ({ send }: Pick<Bench, 'send'>, query: string) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await send({ method: 'POST', headers, body: JSON.stringify({ query }) });
    const maxAge = Number(reply.headers.get('cache-control')?.match(/\d+/)?.[0]);
    return { ...reply, maxAge };
  };

  test('neither lengthens nor shortens a time to live', async () => {
    let monotonic = -5000;
    const gateway = await open({ monotonic: () => monotonic });
    const query = '{ fxRates { totalCount } calendarEvents { totalCount } }';
    expect((await ask(gateway, query)).maxAge).toBe(60);
    gateway.clock.advance(SET_MS);
    monotonic += 59_999;
    const kept = await ask(gateway, `{ a: __typename ${query.slice(1)}`);
    expect(kept.extensions.usage.upstream.requests).toBe(0);
    monotonic += 1;
    const { extensions, maxAge } = await ask(gateway, query);
    expect([extensions.usage.fx.used, extensions.usage.credits.used]).toEqual([1, 0]);
    expect(maxAge).toBe(60);
  });

  test('determines the dates', async () => {
    const gateway = await open({ monotonic: () => 0 });
    gateway.clock.set(hours > 0 ? '2026-11-20T23:30:00+03:00' : '2026-11-21T00:30:00+03:00');
    const query = '{ fxRate(pair: "USDTRY") { history { end } } }';
    const endOf = async (alias: string) => {
      const { data } = await ask(gateway, query.replace('history', `${alias}: history`));
      return data;
    };
    const [before, after] = ['2026-11-20', '2026-11-21'].toSorted((a, b) =>
      hours > 0 ? a.localeCompare(b) : b.localeCompare(a),
    );
    expect(await endOf('first')).toEqual({ fxRate: { first: { end: before } } });
    gateway.clock.advance(SET_MS);
    expect(await endOf('second')).toEqual({ fxRate: { second: { end: after } } });
  });
});

test('the length of a pause after a failure does not depend on the wall clock', async () => {
  let monotonic = 0;
  const { ask, sandbox, clock } = await open({ monotonic: () => monotonic });
  const query = '{ fxRates { totalCount } }';
  sandbox.fault({ kind: 'status', status: 401, times: 1 });
  expect((await ask(query)).errors).toHaveLength(1);
  clock.advance(3_600_000);
  expect((await ask(query)).extensions.usage.upstream.requests).toBe(0);
  clock.advance(-7_200_000);
  monotonic += 30_000;
  expect((await ask(query)).errors).toEqual([]);
});
