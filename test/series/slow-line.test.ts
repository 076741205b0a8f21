import { expect, test } from 'vitest';
import { parseDay } from '../../src/time.ts';
import { estimateOf, spend } from '../e2e/estimate.ts';
import { type Bench, open, type OpenOptions } from '../harness.ts';
import { allUpTo, observations, pathOf, seriesOf, TODAY } from './last.ts';

/** How far back the last values of a series of known frequency are looked for, over lines of different speeds. */

const [WEEKLY, MONTHLY] = ['TP.KTF10', 'TP.FG.J0'];

const DAYS_PER_YEAR = 366;
const MAX_DAYS = 36_600;

/** A line that is slow in real time, to a gateway that does not know its speed yet. */
const SLOW: OpenOptions = {
  env: { UPSTREAM_BYTES_PER_SECOND: '1000000' },
  bytesPerSecond: 50_000,
  monotonic: () => performance.now(),
};
const MEDIUM: OpenOptions = { ...SLOW, bytesPerSecond: 1_000_000, latencyMs: 30 };

/** How many days before today the requests for a series begin. */
const reachesOf = ({ sandbox }: Bench, code: string) =>
  sandbox
    .requests()
    .filter(({ path }) => path.startsWith(pathOf(code)))
    .map(({ path }) => parseDay(TODAY)! - parseDay(/start=([\d-]+)/.exec(path)![1]!)!);

/** Opens a gateway that has learned the frequency of a series from its values of some days. */
async function openKnowing(code: string, options: OpenOptions = {}): Promise<Bench> {
  const bench = await open(options);
  await bench.get(observations(code, 'start: "2026-07-20"'));
  return bench;
}

test.each([
  ['slow', WEEKLY, 200, SLOW],
  ['slow', MONTHLY, 60, SLOW],
  ['medium', WEEKLY, 200, MEDIUM],
  ['medium', MONTHLY, 60, MEDIUM],
] as const)(
  'over a %s line they take one request, for ten years at most: %s, %i',
  async (_line, code, last, options) => {
    const bench = await openKnowing(code, options);
    const query = observations(code, `last: ${last}`);
    expect(await bench.cost(query)).toBe(1);
    expect(reachesOf(bench, code).at(-1)).toBeLessThanOrEqual(10 * DAYS_PER_YEAR);
    const wanted = allUpTo(bench, pathOf(code), TODAY).slice(-last);
    expect((await seriesOf(bench, query)).points).toEqual(wanted);
    expect(await bench.cost(query)).toBe(0);
  },
);

test('over a line known to be slow, the last daily values take one request for little more than their days', async () => {
  const bench = await open(SLOW);
  await bench.get('{ fxRate(pair: "USDTRY") { buying } }');
  for (const code of [MONTHLY, WEEKLY]) await bench.get(observations(code, 'start: "2020-01-01"'));
  const query = `{ fxRate(pair: "USDTRY") { history(last: 5) { points { date } } } }`;
  expect(await bench.cost(query)).toBe(1);
  const [path = ''] = bench.sandbox.requests().flatMap((one) => one.path.match(/history.*/) ?? []);
  expect(parseDay(/start=([\d-]+)/.exec(path)![1]!)).toBeGreaterThan(parseDay(TODAY)! - 100);
  const { fxRate } = await bench.get<{ fxRate: { history: { points: object[] } } }>(query);
  expect(fxRate.history.points).toHaveLength(5);
});

test('over a slow line, ranges and last values of an operation take one request', async () => {
  const bench = await openKnowing(WEEKLY, SLOW);
  const fields = ['last: 100', 'last: 120', 'start: "2025-06-01"'].map(
    (args, i) => `part${i}: observations(${args}) { end }`,
  );
  expect(await bench.cost(`{ macroSeries(code: "${WEEKLY}") { ${fields.join(' ')} } }`)).toBe(1);
});

test.each([
  ['slow', 2, SLOW],
  ['fast', 1, {}],
])(
  'over a %s line, %i request(s) are needed if the series is too young, as a dry run says',
  async (_line, most, options) => {
    const bench = await openKnowing(MONTHLY, options);
    const query = observations(MONTHLY, 'last: 250');
    const estimate = await estimateOf(bench, query);
    expect([estimate.least.macro, estimate.most.macro]).toEqual([1, most]);
    expect((await spend(bench, query)).macro).toBe(most);
    const { points } = await seriesOf(bench, query);
    expect(points).toEqual(allUpTo(bench, pathOf(MONTHLY), TODAY));
    expect((await estimateOf(bench, query)).most.macro).toBe(0);
  },
);

test('over a fast line one request brings all years', async () => {
  const bench = await openKnowing(WEEKLY);
  expect(await bench.cost(observations(WEEKLY, 'last: 200'))).toBe(1);
  expect(reachesOf(bench, WEEKLY).at(-1)).toBe(MAX_DAYS - 1);
  expect(await bench.cost(observations(WEEKLY, 'last: 10000'))).toBe(0);
});
