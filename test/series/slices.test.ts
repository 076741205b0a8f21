import { describe, expect, test } from 'vitest';
import { parseDay } from '../../src/time.ts';
import { estimateOf, spend } from '../e2e/estimate.ts';
import { open } from '../harness.ts';
import {
  allUpTo,
  history,
  observations,
  pathOf,
  RATE,
  type Series,
  seriesOf,
  TODAY,
} from './last.ts';

/** How many days a request asks for. */
function lengthOfRange(path: string): number {
  const [, start = '', end = ''] = /start=([\d-]+)&end=([\d-]+)/.exec(path) ?? [];
  return (parseDay(end) ?? 0) - (parseDay(start) ?? 0) + 1;
}

test('if slices are refused for their first day, other requests stay as long as they were', async () => {
  const { sandbox, ask, cost } = await open();
  const isRefused = (path: string) =>
    lengthOfRange(path) > 365 || /start=20(?:1|2[0-4])/.test(path);
  sandbox.fault({ kind: 'status', status: 422, group: 'A', path: isRefused });
  const { extensions } = await ask(history('last: 900'));
  expect(extensions.warnings).toMatchObject([{ dataset: 'fx history' }]);
  const euro = (start: string) =>
    `{ fxRate(pair: "EURTRY") { history(start: "${start}") { change } } }`;
  await ask(euro('2026-11-10'));
  expect(await cost(euro('2026-09-01'))).toBe(0);
  const paths = sandbox.requests().map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
});

describe.each([365, 90, 31])('if the upstream accepts at most %i days', (most) => {
  async function limited(env: Record<string, string> = {}) {
    const bench = await open({ env });
    const path = (text: string) => lengthOfRange(text) > most;
    bench.sandbox.fault({ kind: 'status', status: 422, group: 'A', path });
    return bench;
  }

  test('the last values are right all the same, beside a range too', async () => {
    const bench = await limited();
    for (const last of [5, 200, 20, 280]) {
      const wanted = allUpTo(bench, RATE, TODAY).slice(-last);
      expect((await seriesOf(bench, history(`last: ${last}`))).points).toEqual(wanted);
    }
    const found = await bench.get<{ fxRate: Record<string, Series> }>(
      '{ fxRate(pair: "EURTRY") { a: history(last: 90) { ...S } b: history(start: "2026-11-01") { ...S } c: history(last: 7) { ...S } } } fragment S on TimeSeries { start end points { date value } }',
    );
    const euro = allUpTo(bench, RATE.replace('USD', 'EUR'), TODAY);
    const points = Object.values(found.fxRate).map((series) => series.points);
    const recent = euro.filter(({ date }) => date >= '2026-11-01');
    expect(points).toEqual([euro.slice(-90), recent, euro.slice(-7)]);
  });

  test('what the allowed requests bring is served, with a warning', async () => {
    const bench = await limited({ MAX_UPSTREAM_REQUESTS_PER_OPERATION: '6' });
    const { data, errors, extensions } = await bench.ask<{
      fxRate: Record<string, Series>;
    }>(history('last: 900'));
    expect(errors).toEqual([]);
    expect(Object.values(data.fxRate)[0]!.points.length).toBeGreaterThan(10);
    expect(extensions.warnings).toMatchObject([{ dataset: 'fx history' }]);
  });

  test('what is cached is not requested again, and a dry run knows no bound for the rest', async () => {
    const bench = await limited();
    await bench.get(history('last: 290'));
    expect(await bench.cost(history('last: 290'))).toBe(0);
    expect(await bench.cost(history('last: 30'))).toBe(0);
    const estimate = await estimateOf(bench, history('last: 900'));
    expect([estimate.least.fx, estimate.most.fx]).toEqual([1, 20]);
  });

  test('a dry run knows no bound for another series either', async () => {
    const bench = await limited();
    const other = history('last: 600').replace('USD', 'EUR');
    await bench.get(history('last: 290'));
    const estimate = await estimateOf(bench, other);
    expect([estimate.least.fx, estimate.most.fx]).toEqual([1, 20]);
    expect((await spend(bench, other)).fx).toBeGreaterThan(2);
  });
});

test('a single refusal does not make the last values of a monthly series cost a unit a year', async () => {
  const bench = await open();
  const code = 'TP.FG.J0';
  bench.sandbox.fault({
    kind: 'status',
    status: 400,
    path: pathOf(code),
    times: 1,
  });
  const { points } = await seriesOf(bench, observations(code, 'last: 110'));
  expect(points).toEqual(allUpTo(bench, pathOf(code), TODAY).slice(-110));
  // One for the catalog, the others for the values.
  expect(bench.sandbox.spent().macro).toBeLessThanOrEqual(3);
});

test('a value dated after today is among the last ones, too, if the upstream refuses long ranges', async () => {
  const bench = await open();
  const path = (text: string) => lengthOfRange(text) > 365;
  bench.sandbox.fault({ kind: 'status', status: 422, group: 'A', path });
  const next = { date: '2026-11-23', value: 45 };
  bench.sandbox.fault({
    kind: 'rewrite',
    group: 'A',
    path: RATE,
    rewrite: (body, text) =>
      text.includes(`end=${TODAY}`) ? body : { ...Object(body), data: [next] },
  });
  const query = history('last: 1, end: "2100-01-01"');
  expect((await seriesOf(bench, query)).points).toEqual([next]);
  expect(await bench.cost(query)).toBe(0);
});

describe('last values in slices, if no more can be requested', () => {
  async function limited() {
    const bench = await open();
    const path = (text: string) => lengthOfRange(text) > 95;
    bench.sandbox.fault({ kind: 'status', status: 422, group: 'A', path });
    return bench;
  }
  const values = (code: string, last: number) =>
    `{ macroSeries(code: "${code}") { observations(last: ${last}) { points { date value } provenance { stale } } } }`;
  const tooMany = values('TP.DK.USD.A', 3000);

  test.each([0.5, 1, 20])(
    'are served stale %d days later: slices begin elsewhere',
    async (days) => {
      const { ask, clock, sandbox } = await limited();
      const question = values('TP.FG.J0', 12);
      const before = await ask(question);
      const spent = sandbox.spent();
      clock.advance(days * 86_400_000);
      sandbox.fault({ kind: 'status', status: 503 });
      const { data, errors } = await ask(question);
      expect(errors).toEqual([]);
      expect(JSON.stringify(data)).toBe(JSON.stringify(before.data).replace('false', 'true'));
      expect(sandbox.spent()).toEqual(spent);
    },
  );

  test('are served stale as far as they had been requested, with a warning', async () => {
    const { ask, clock, sandbox } = await limited();
    await ask(tooMany);
    clock.advance(86_400_000);
    sandbox.fault({ kind: 'status', status: 503 });
    const { data, errors, extensions } = await ask(tooMany);
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toMatch(/"date":"2023-.*"stale":true/);
    expect(extensions.warnings).toMatchObject([{ dataset: 'macro series' }]);
  });

  test('are served as far as the units that were left have brought them, with a warning', async () => {
    const { another, sandbox } = await limited();
    const { ask } = await another({ MACRO_MONTHLY_LIMIT: '10' });
    for (const used of [10, 0]) {
      const { data, errors, extensions } = await ask(tooMany);
      expect(errors).toEqual([]);
      expect(JSON.stringify(data)).toContain('"date":"2024-');
      expect(extensions.warnings).toMatchObject([{ dataset: 'macro series' }]);
      expect(extensions.usage.macro.used).toBe(used);
    }
    expect(sandbox.spent().macro).toBe(10);
  });
});
