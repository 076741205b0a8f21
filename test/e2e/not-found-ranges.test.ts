import { describe, expect, test } from 'vitest';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { newest } from '../shared/stored.ts';
import { estimateOf } from './estimate.ts';

/** An upstream that answers 404 to ranges that begin too early: narrower questions still get their records. */

const NO_CODE = { success: false, error: 'not_found' };
const SERIES = 'TP.DK.USD.A';
const MINUTE = 60_000;

/** Makes the upstream answer 404 to ranges of days that begin before 2020. */
const lackEarly = ({ sandbox }: Bench, body: unknown = NO_CODE, first = '2020') =>
  sandbox.fault({
    kind: 'status',
    status: 404,
    body,
    path: (path) => (/start=(\d{4}-\d\d)/.exec(path)?.[1] ?? '9999') < first,
  });

const rate = (pair: string, args: string) =>
  `{ fxRate(pair: "${pair}") { history${args} { points { date } } } }`;
const series = (args: string, code = SERIES) =>
  `{ macroSeries(code: "${code}") { observations${args} { points { date } } } }`;
const search = (start: string) =>
  `{ legislationChanges(filter: { search: "vergi", start: "${start}" }) { totalCount } }`;

/** Asks, and returns the data, the requests for ranges of days, and the units spent. */
async function asking(bench: Bench, query: string) {
  const before = bench.sandbox.requests().length;
  const { data, errors, extensions } = await bench.ask(query);
  expect(errors).toEqual([]);
  const asked = bench.sandbox.requests().slice(before);
  const { fx, macro, credits } = extensions.usage;
  return {
    data,
    statuses: asked.filter(({ path }) => path.includes('start=')).map(({ status }) => status),
    units: fx.used + macro.used + credits.used,
    warnings: extensions.warnings ?? [],
  };
}

/** What an upstream without limits brings. */
const expected = async (query: string) => (await (await open()).ask(query)).data;

/** A gateway that widens requests to ten years, because somebody has asked for more than one. */
async function widening(env: Record<string, string> = {}) {
  const bench = await open({ env });
  await bench.ask(rate('USDTRY', '(start: "2024-12-20")'));
  lackEarly(bench);
  return bench;
}

describe('a 404 to a widened range', () => {
  const question = rate('GBPTRY', '(start: "2026-10-21")');

  test('says nothing about the days that were asked for, nor about others', async () => {
    const bench = await widening();
    const first = await asking(bench, question);
    expect(first.data).toEqual(await expected(question));
    expect(first.statuses).toEqual([404, 200]);
    // Requests are shorter from then on, for this pair and for others.
    for (const [pair, start] of [
      ['GBPTRY', '2026-04-01'],
      ['EURTRY', '2026-10-21'],
    ] as const) {
      const other = rate(pair, `(start: "${start}")`);
      const next = await asking(bench, other);
      expect(next.data).toEqual(await expected(other));
      expect(next.statuses).toEqual([200]);
    }
    const week = rate('GBPTRY', '');
    expect(await asking(bench, week)).toMatchObject({ statuses: [], data: await expected(week) });
  });

  test('costs no more than a dry run says', async () => {
    const bench = await widening();
    const { most } = await estimateOf(bench, question);
    expect(await asking(bench, question)).toMatchObject({ units: most.fx });
  });

  test('is not stored as an empty answer', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const bench = await widening(env);
    const last = newest(env.DATA_DIR);
    await bench.ask(question);
    await expect.poll(() => newest(env.DATA_DIR)).toBeGreaterThan(last);
    const later = { ...bench, ...(await bench.another(env)) };
    expect(await asking(later, question)).toMatchObject({
      statuses: [],
      data: await expected(question),
    });
    const wider = rate('GBPTRY', '(start: "2026-04-01")');
    expect((await asking(later, wider)).data).toEqual(await expected(wider));
  });

  test('that several questions share is believed only for those that get it by themselves, too', async () => {
    const bench = await widening();
    const points = '{ points { date } }';
    const query = `{ fxRate(pair: "GBPTRY") {
      early: history(start: "2019-03-01", end: "2019-03-31") ${points}
      late: history(start: "2026-10-21") ${points} } }`;
    const { data, statuses } = await asking(bench, query);
    expect([statuses[0], statuses.length]).toEqual([404, 3]);
    const without = (await expected(query)) as { fxRate: object };
    expect(data).toEqual({ fxRate: { ...without.fxRate, early: { points: [] } } });
  });

  test('of legislation says nothing about the days that were asked for', async () => {
    const bench = await open();
    // Once the size of a day is known, requests are widened to a year.
    await bench.ask('{ legislationChanges(filter: { start: "2026-10-21" }) { totalCount } }');
    lackEarly(bench, NO_CODE, '2026-06');
    const first = await asking(bench, search('2026-08-01'));
    expect(first).toMatchObject({ statuses: [404, 200], units: 1 });
    expect(first.data).toEqual(await expected(search('2026-08-01')));
  });
});

describe('a 404 to the range of the last values', () => {
  const question = series('(last: 12)');

  test('does not mean that a series is empty', async () => {
    const bench = await open();
    lackEarly(bench);
    const { most } = await estimateOf(bench, question);
    const first = await asking(bench, question);
    expect(first.data).toEqual(await expected(question));
    expect(first).toMatchObject({ statuses: [404, 200], warnings: [] });
    expect(first.units).toBeLessThanOrEqual(most.macro);
    expect((await asking(bench, question)).statuses).toEqual([]);
  });

  test('is followed by shorter ranges, until there are enough values', async () => {
    const bench = await open();
    lackEarly(bench);
    const many = series('(last: 500)');
    const { data, statuses, units } = await asking(bench, many);
    expect(data).toEqual(await expected(many));
    expect(statuses[0]).toBe(404);
    expect(units).toBeLessThanOrEqual(3);
  });
});

describe('if there are no records at all, a 404 costs at most one further request, which is free', () => {
  const CASES = [
    ['a pair', rate('XXXYYY', '(start: "2026-10-21")'), 2],
    ['a series', series('(start: "2026-10-21")', 'TP.NOT.THERE'), 2],
    // Two without the further one: as far back as values are likely, then as far back as possible.
    ['the last values', series('(last: 12)', 'TP.NOT.THERE'), 3],
    ['legislation', search('2026-10-21'), 2],
  ] as const;

  test.each(CASES)('%s', async (_name, query, most) => {
    const bench = await open();
    bench.sandbox.fault({
      kind: 'status',
      status: 404,
      body: NO_CODE,
      path: (path) => path.includes('start='),
    });
    const { statuses, data } = await asking(bench, query);
    expect([...new Set(statuses)]).toEqual([404]);
    expect(statuses.length).toBeLessThanOrEqual(most);
    expect(await asking(bench, query)).toMatchObject({ statuses: [], units: 0, data });
  });

  test('none if it has the code for it', async () => {
    const bench = await open();
    lackEarly(bench, { success: false, code: 'no_data' }, '9998');
    expect(await asking(bench, search('2026-10-21'))).toMatchObject({ statuses: [404], units: 0 });
  });

  test('and requests about others stay as long as they were', async () => {
    const bench = await open();
    lackEarly(bench, NO_CODE, '9998');
    await bench.ask(rate('GBPTRY', '(start: "2026-10-21")'));
    bench.sandbox.clearFaults();
    bench.clock.advance(10 * MINUTE);
    await bench.ask(rate('EURTRY', '(start: "2024-12-20")'));
    await bench.ask(rate('GBPTRY', '(start: "2026-10-21")'));
    expect(bench.sandbox.requests().at(-1)?.path).toMatch(/start=2016/);
  });
});
