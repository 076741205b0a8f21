import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Past its time to live an answer is refreshed; only where that fails it is served, and says so. */

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
  test.each(DATASETS)('%s, after %i s, is asked for again', async (_name, ttl, field) => {
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

  test.each(DATASETS)('%s, after %i s, is served stale where that fails', async (...given) => {
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
    ['history', 300, 'fxRate(pair: "USDTRY")'],
    ['observations', 3600, 'macroSeries(code: "TP.DK.USD.A")'],
  ])('a series: %s, after %i s', async (field, ttl, parent) => {
    const { get, clock, sandbox } = await open();
    const query = `{ one: ${parent} { list: ${field} { ${PROVENANCE} points { date value } } } }`;
    const first = await get<{ one: { list: object } }>(query);
    clock.advance(ttl * 1000);
    sandbox.fault({ kind: 'reset', group: 'A' });
    const second = await get<{ one: { list: { provenance: unknown } } }>(query);
    expect(second.one.list).toMatchObject({ ...first.one.list, provenance: { stale: true } });
  });
});

test('a failure is never remembered as data', async () => {
  const { ask, get, clock, sandbox } = await open();
  const query = '{ fxRate(pair: "USDTRY") { pair } cryptoAsset(symbol: "BTC") { symbol } }';
  sandbox.fault({ kind: 'status', status: 500 });
  expect((await ask(query)).errors).toHaveLength(2);
  sandbox.clearFaults();
  clock.advance(60_000);
  expect(await get(query)).toEqual({ fxRate: { pair: 'USDTRY' }, cryptoAsset: { symbol: 'BTC' } });
});

test('an event is asked for again at its release, and has its value then', async () => {
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

test('a clock that is set back lengthens nothing', async () => {
  const { send, clock } = await open();
  const body = JSON.stringify({
    query: '{ fxRates { totalCount } calendarEvents { totalCount } }',
  });
  const ask = () => send({ method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const maxAge = async () => Number((await ask()).headers.get('cache-control')?.match(/\d+/)?.[0]);
  for (let i = 0; i < 3; i += 1) expect(await maxAge()).toBe(60);
  clock.advance(-3_600_000);
  const { extensions } = await ask();
  expect([extensions.usage.fx.used, extensions.usage.credits.used]).toEqual([1, 1]);
  expect(await maxAge()).toBe(60);
});
