import { describe, expect, test } from 'vitest';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { upstreamAnswer } from '../upstream.ts';
import { change } from './change.ts';

/** Answers that cover fewer days than they seem to never make days count as empty and settled. */

const HOUR = 3_600_000;
const LATEST = '{ legislationChanges(first: 3) { totalCount } }';

/** Returns how many changes a range has, and how many requests it took to know. */
async function changesIn(bench: Bench, start: string, end: string) {
  const before = bench.sandbox.requests().length;
  const query = `{ list: legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount } }`;
  const { list } = await bench.get<{ list: { totalCount: number } }>(query);
  return { total: list.totalCount, requests: bench.sandbox.requests().length - before };
}

describe('legislation without a start', () => {
  /** Makes the upstream list what was published in the last month, and one more record. */
  const listLastMonth = (bench: Bench, publishedAt: string, isListed = (_day: string) => true) =>
    bench.sandbox.fault({
      kind: 'rewrite',
      path: (path) => path === '/legislation/changes',
      rewrite(body, path) {
        const { data } = upstreamAnswer(bench.sandbox, 'B', path);
        const days = data.map((record) => ({ record, day: String(record['publishedAt']) }));
        const lastMonth = days.filter(({ day }) => day >= '2026-10-14' && isListed(day));
        const odd = { ...data[0], id: 'odd', publishedAt };
        const listed = [...lastMonth.map(({ record }) => record), odd];
        return Object.assign({}, body, { data: listed, total: listed.length });
      },
    });

  test.each(['0001-01-01', '1970-01-01', '2026-01-02'])(
    'a record of %s does not mean that nothing was published since',
    async (day) => {
      const bench = await open();
      const expected = await changesIn(await open(), '2026-03-01', '2026-03-31');
      expect(expected.total).toBeGreaterThan(0);
      listLastMonth(bench, day);
      await bench.get(LATEST);
      expect(await changesIn(bench, '2026-03-01', '2026-03-31')).toEqual(expected);
      // The days of the last month are known all the same.
      expect((await changesIn(bench, '2026-10-20', '2026-11-12')).requests).toBe(0);
    },
  );

  test('days that it brings are not requested again, whatever was asked for before', async () => {
    const bench = await open();
    for (const start of ['2025-06-01', '2026-10-20']) {
      await changesIn(bench, start, '2026-11-20');
      bench.clock.advance(1.5 * HOUR);
    }
    await bench.get(LATEST);
    expect((await changesIn(bench, '2026-10-20', '2026-11-20')).requests).toBe(0);
  });

  test('its oldest day is not taken for complete', async () => {
    const bench = await open();
    let edge = '';
    bench.sandbox.fault({
      kind: 'rewrite',
      path: (path) => path === '/legislation/changes',
      rewrite(body, path) {
        const { data } = upstreamAnswer(bench.sandbox, 'B', path);
        const dayOf = (i: number) => String(data[i]?.['publishedAt']);
        const isSplit = (i: number) => i > 0 && dayOf(i - 1) === dayOf(i);
        const count = data.findIndex((_record, i) => i > 20 && isSplit(i));
        edge = dayOf(count);
        return Object.assign({}, body, { data: data.slice(0, count), total: count });
      },
    });
    await bench.get(LATEST);
    const { total } = await changesIn(await open(), edge, edge);
    expect(await changesIn(bench, edge, edge)).toEqual({ total, requests: 1 });
  });

  test('an end in the future does not hide that the last days are known', async () => {
    const bench = await open();
    await bench.get('{ legislationChanges(filter: { end: "2027-03-01" }) { totalCount } }');
    expect((await changesIn(bench, '2026-11-10', '2026-11-20')).requests).toBe(0);
  });

  test('days that are known only from such an answer do not count as settled', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const bench = await open({ env });
    listLastMonth(bench, '2026-10-14', (day) => day < '2026-10-20' || day > '2026-11-05');
    await bench.get(LATEST);
    bench.sandbox.clearFaults();
    bench.clock.advance(HOUR);
    const range = ['2026-10-20', '2026-11-05'] as const;
    const expected = await changesIn(await open(), ...range);
    // The same holds for a gateway that starts later and finds the answer stored.
    const later = await bench.another(env);
    for (const { get } of [later, bench])
      expect((await changesIn({ ...bench, get }, ...range)).total).toBe(expected.total);
  });

  test('that is not found for a moment does not empty the list', async () => {
    const bench = await open();
    const before = await bench.ask(LATEST);
    bench.sandbox.fault({ kind: 'status', status: 404, path: '/legislation/changes', body: {} });
    for (let i = 0; i < 2; i += 1) {
      bench.clock.advance(HOUR);
      const { data, extensions } = await bench.ask(LATEST);
      expect([data, extensions.usage.upstream.stale]).toEqual([before.data, 1]);
    }
    bench.sandbox.clearFaults();
    bench.clock.advance(HOUR);
    const { data, extensions } = await bench.ask(LATEST);
    expect([data, extensions.usage.upstream.stale]).toEqual([before.data, 0]);
  });

  test('settled days stay settled when such an answer arrives', async () => {
    const bench = await open();
    const range = ['2026-10-20', '2026-11-05'] as const;
    const { total } = await changesIn(bench, ...range);
    await bench.get(LATEST);
    bench.clock.advance(HOUR);
    expect(await changesIn(bench, ...range)).toEqual({ total, requests: 0 });
  });
});

describe('a history', () => {
  const RANGE = '{ fxRate(pair: "USDTRY") { history(start: "2026-10-01", end: "2026-10-10") {';
  const QUERY = `${RANGE} points { value } provenance { stale } } } }`;
  interface History {
    fxRate: { history: { points: object[]; provenance: { stale: boolean } } };
  }
  const HISTORY = '/v1/fx/rates/';
  const NOT_FOUND = { timestamp: 'now', status: 404, error: 'Not Found' };
  const loseHistory = (bench: Bench, body: unknown) =>
    bench.sandbox.fault({ kind: 'status', status: 404, path: HISTORY, body });
  const historyOf = async ({ get }: Bench) => (await get<History>(QUERY)).fxRate.history;

  test.each([[NOT_FOUND], [undefined]])(
    'that is not found for a moment (%j) is soon requested again',
    async (body) => {
      const bench = await open();
      loseHistory(bench, body);
      expect(await historyOf(bench)).toEqual({ points: [], provenance: { stale: false } });
      bench.sandbox.clearFaults();
      bench.clock.advance(HOUR);
      expect((await historyOf(bench)).points).toHaveLength(7);
    },
  );

  test('that the upstream answers without content is empty, paid for, and cached like one that is not found', async () => {
    const bench = await open({ unreadUnits: -1 });
    bench.sandbox.fault({ kind: 'status', status: 204, path: HISTORY });
    for (let i = 0; i < 2; i += 1)
      expect(await historyOf(bench)).toEqual({ points: [], provenance: { stale: false } });
    expect(bench.sandbox.requests()).toHaveLength(2);
    bench.sandbox.clearFaults();
    bench.clock.advance(HOUR);
    expect((await historyOf(bench)).points).toHaveLength(7);
  });

  test.each([[NOT_FOUND], [undefined]])(
    'with known values serves them meanwhile, marked stale (%j)',
    async (body) => {
      const bench = await open();
      const { points } = await historyOf(bench);
      bench.clock.advance(25 * HOUR);
      loseHistory(bench, body);
      for (let i = 0; i < 3; i += 1) {
        expect(await historyOf(bench)).toEqual({ points, provenance: { stale: true } });
        bench.clock.advance(HOUR);
      }
      bench.sandbox.clearFaults();
      expect(await historyOf(bench)).toEqual({ points, provenance: { stale: false } });
    },
  );

  /** Points of one week, whatever range was asked for. */
  const lastWeek = Array.from({ length: 5 }, (_, i) => ({ date: `2026-11-0${i + 2}`, value: 1 }));

  test('whose values are all of other days is soon requested again, with a warning', async () => {
    const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
    change(bench, HISTORY, () => lastWeek);
    const { data, extensions } = await bench.ask<History>(QUERY);
    expect(data?.fxRate.history.points).toEqual([]);
    expect(extensions.warnings).toMatchObject([{ dataset: 'fx history', count: 5 }]);
    bench.sandbox.clearFaults();
    expect(await bench.cost(QUERY)).toBe(0);
    bench.clock.advance(HOUR);
    expect((await historyOf(bench)).points).toHaveLength(7);
  });

  test('with known values serves them along with that warning', async () => {
    const bench = await open({ env: { WIDEN_MAX_BYTES: '0' } });
    const { points } = await historyOf(bench);
    bench.clock.advance(25 * HOUR);
    change(bench, HISTORY, () => lastWeek);
    const { data, extensions } = await bench.ask<History>(QUERY);
    expect(data?.fxRate.history).toEqual({ points, provenance: { stale: true } });
    expect(extensions.warnings).toHaveLength(1);
  });
});
