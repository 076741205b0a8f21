import { describe, expect, test } from 'vitest';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { newest } from '../shared/stored.ts';
import { CASES, HOUR, MINUTE } from './emptied-cases.ts';

/** An upstream whose answers have no records for a moment, as after a restart, although each of them is a success. */

/** Takes the records out of every answer under a path. */
const empty = ({ sandbox }: Bench, path: string) =>
  sandbox.fault({
    kind: 'rewrite',
    path,
    rewrite: (body) => Object.assign({}, body, { data: [], total: 0 }),
  });

/** Waits until the answer that `ask` brings is stored. */
async function stored<T>(folder: string, ask: () => Promise<T>): Promise<T> {
  const last = newest(folder);
  const reply = await ask();
  await expect.poll(() => newest(folder)).toBeGreaterThan(last);
  return reply;
}

const isStale = ({ extensions }: Awaited<ReturnType<Bench['ask']>>) =>
  extensions.usage.upstream.stale > 0;

describe.each(Object.entries(CASES))('%s', (_name, { path, query, expires, again }) => {
  test('what is known is served, marked stale, and is asked for again soon', async () => {
    const bench = await open();
    const { ask, sandbox, clock } = bench;
    const before = await ask(query);
    expect(JSON.stringify(before.data)).toMatch(/[1-9]/);
    clock.advance(expires);
    empty(bench, path);
    const during = await ask(query);
    expect([during.data, isStale(during)]).toEqual([before.data, true]);
    sandbox.clearFaults();
    clock.advance(again);
    const after = await ask(query);
    expect([after.data, isStale(after)]).toEqual([before.data, false]);
  });

  test('a process that starts just after such an answer serves what was known, too', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const bench = await open({ env });
    const before = await stored(env.DATA_DIR, () => bench.ask(query));
    bench.clock.advance(expires);
    empty(bench, path);
    await stored(env.DATA_DIR, () => bench.ask(query));
    const later = await (await bench.another(env)).ask(query);
    expect([later.data, isStale(later)]).toEqual([before.data, true]);
    expect(later.extensions.usage.upstream.requests).toBe(0);
  });
});

describe('records that are gone for good', () => {
  test.each([
    ['catalog', { macroSeries: null, macroCatalog: { totalCount: 0 } }],
    ['assets', { cryptoAssets: { totalCount: 0, nodes: [] } }],
    ['history', { fxRate: { pair: 'USDTRY', history: { points: [] } } }],
    ['legislation', { legislationChanges: { totalCount: 0 } }],
  ])('are no longer served after a day, also after a restart: %s', async (name, none) => {
    const env = { DATA_DIR: temporaryFolder() };
    const bench = await open({ env });
    const { path, query, expires } = CASES[name]!;
    const ask = () => stored(env.DATA_DIR, () => bench.ask(query));
    await ask();
    bench.clock.advance(expires);
    empty(bench, path);
    await ask();
    bench.clock.advance(24 * HOUR);
    expect((await ask()).data).toEqual(none);
    expect((await (await bench.another(env)).ask(query)).data).toEqual(none);
  });
});

test('a catalog that has no records from the start is asked for again after a minute', async () => {
  const bench = await open();
  const { path, query } = CASES['catalog']!;
  empty(bench, path);
  const { data } = await bench.ask(query);
  expect(data).toEqual({ macroSeries: null, macroCatalog: { totalCount: 0 } });
  bench.sandbox.clearFaults();
  bench.clock.advance(MINUTE);
  expect((await bench.ask(query)).data).toMatchObject({ macroSeries: {} });
});

test('a catalog that stays empty is asked for less and less often', async () => {
  const bench = await open();
  const { path, query } = CASES['catalog']!;
  empty(bench, path);
  let units = 0;
  for (let minute = 0; minute < 120; minute += 1) {
    units += (await bench.ask(query)).extensions.usage.macro.used;
    bench.clock.advance(MINUTE);
  }
  expect(units).toBeGreaterThan(4);
  expect(units).toBeLessThan(10);
});

test('events that are missing twice are known to a process that starts then, too', async () => {
  const env = { DATA_DIR: temporaryFolder(), WIDEN_MAX_BYTES: '0' };
  const bench = await open({ env });
  const filter = 'filter: { start: "2026-11-24", end: "2026-11-27" }';
  const ahead = `{ calendarEvents(${filter}) { totalCount } }`;
  const ask = () => bench.ask(ahead);
  const before = await stored(env.DATA_DIR, ask);
  empty(bench, '/calendar/events');
  bench.clock.advance(6 * MINUTE);
  await stored(env.DATA_DIR, ask);
  bench.clock.advance(6 * MINUTE);
  await stored(env.DATA_DIR, ask);
  const later = await (await bench.another(env)).ask(ahead);
  expect([later.data, isStale(later)]).toEqual([before.data, true]);
});

describe('a market of which the upstream says that nothing matches', () => {
  test.each([{ code: 'no_data' }, { error: 'no_data' }, { error: { code: 'no_data' } }])(
    'has no assets: %j',
    async (body) => {
      const { get, sandbox } = await open();
      sandbox.fault({ kind: 'status', status: 404, path: '/crypto/prices', body });
      const data = await get(
        '{ cryptoAsset(symbol: "NOPE") { price } cryptoAssets { totalCount } }',
      );
      expect(data).toEqual({ cryptoAsset: null, cryptoAssets: { totalCount: 0 } });
      expect(sandbox.spent().credits).toBe(0);
    },
  );

  test('in one currency has assets in others', async () => {
    const { get, sandbox } = await open();
    const body = { code: 'no_data' };
    sandbox.fault({ kind: 'status', status: 404, path: '/crypto/prices', body, times: 1 });
    const data = await get('{ cryptoAssets(convert: EUR) { totalCount } }');
    expect(data).toEqual({ cryptoAssets: { totalCount: 0 } });
    const dollars = await get<{ cryptoAssets: { nodes: unknown[] } }>(
      '{ cryptoAssets { nodes { price } } }',
    );
    expect(dollars.cryptoAssets.nodes).not.toEqual([]);
  });
});
