import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** Requests are widened to what is likely to be asked for next; no answer is the worse for it. */

const WEEK = '{ calendarEvents { totalCount } }';
const events = (start: string, end: string) =>
  `{ calendarEvents(filter: { start: "${start}", end: "${end}" }) { totalCount } }`;

/** Makes the upstream refuse requests that start in October: a query about November is refused only if widened. */
const refuseWidened = ({ sandbox }: Bench) =>
  sandbox.fault({ kind: 'status', status: 422, path: '/calendar/events?start=2026-10' });

const rangesOf = ({ sandbox }: Bench) => sandbox.requests().map(({ path }) => path.split('?')[1]);

test('if a widened request is refused, the range that was asked for is requested at once', async () => {
  const bench = await open();
  refuseWidened(bench);
  const { errors, extensions } = await bench.ask(WEEK);
  expect(errors).toEqual([]);
  expect(extensions.usage).toMatchObject({ credits: { used: 1 }, upstream: { requests: 2 } });
  expect(rangesOf(bench)[1]).toBe('start=2026-11-20&end=2026-11-27');
  // From then on requests are shorter: the next one is not refused.
  await bench.ask(events('2026-12-10', '2026-12-11'));
  expect(rangesOf(bench)).toHaveLength(3);
});

const HISTORY =
  '{ fxRate(pair: "USDTRY") { history(start: "2026-11-02", end: "2026-11-06") { points { date } } } }';

test.each([
  [WEEK, '/calendar/events?start=2026-10', /^start=2026-11-20&end=2026-11-27$/],
  [HISTORY, '/v1/fx/rates/USDTRY/history?start=2025', /^start=2026-11-02&end=2026-11-06$/],
  [
    '{ cryptoAssets(first: 3) { nodes { symbol } } }',
    (path: string) => path.includes('limit=500'),
    /^convert=USD&limit=\d\d?$/,
  ],
])('%s is sent as it is if the widened request fails with 504', async (query, path, last) => {
  const bench = await open();
  bench.sandbox.fault({ kind: 'status', status: 504, body: '<html>', path });
  const { errors } = await bench.ask(query);
  expect(errors).toEqual([]);
  expect(rangesOf(bench).at(-1)).toMatch(last);
});

test('operations that joined a widened request are answered, too', async () => {
  const bench = await open();
  refuseWidened(bench);
  const replies = await Promise.all([
    bench.ask(WEEK),
    bench.ask(WEEK),
    bench.ask(events('2026-11-10', '2026-11-11')),
  ]);
  expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
  expect(bench.sandbox.spent().credits).toBe(2);
});

test('if the upstream refuses a range that was asked for, only that one fails', async () => {
  const bench = await open({ env: { WIDEN_MAX_BYTES: '1000000000' } });
  refuseWidened(bench);
  const query = `{ wrong: calendarEvents(filter: { start: "2026-10-30", end: "2026-10-31" }) { totalCount }
    right: calendarEvents(filter: { start: "2026-11-20", end: "2026-11-21" }) { totalCount } }`;
  const { data, errors } = await bench.ask<{ right: unknown }>(query);
  expect(errors).toMatchObject([{ path: ['wrong'], extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(data.right).not.toBeNull();
});

test('a dry run does not make the requests of others longer', async () => {
  const history = (pair: string, start: string) =>
    `{ fxRate(pair: "${pair}") { history(start: "${start}") { change } } }`;
  const lastRange = async (dryRun: boolean) => {
    const bench = await open();
    const headers = { 'content-type': 'application/json', 'x-usage-dry-run': '1' };
    const body = JSON.stringify({ query: history('USDTRY', '1930-01-01') });
    if (dryRun) await bench.send({ method: 'POST', headers, body });
    await bench.ask(history('EURTRY', '2026-11-16'));
    return rangesOf(bench).find((range) => range !== undefined);
  };
  expect(await lastRange(true)).toBe(await lastRange(false));
});

test('nor does a dry run that finds all of its days cached', async () => {
  const history = (pair: string, range: string) =>
    `{ fxRate(pair: "${pair}") { history(${range}) { change } } }`;
  const bench = await open();
  // Last values are not noted as a range, so that nothing but the dry run can make a request longer.
  await bench.ask(history('USDTRY', 'last: 2000'));
  expect((await estimateOf(bench, history('USDTRY', 'start: "2022-01-03"'))).most.fx).toBe(0);
  await bench.ask(history('EURTRY', 'start: "2026-11-16"'));
  expect(rangesOf(bench).at(-1)).toMatch(/^start=2025/);
});

test('over a slow line, a request is widened toward the nearest days that are cached', async () => {
  const env = { UPSTREAM_BYTES_PER_SECOND: '200000' };
  const { cost, sandbox } = await open({ env, monotonic: () => 0 });
  const history = (start: string, end: string) =>
    `{ fxRate(pair: "EURTRY") { history(start: "${start}", end: "${end}") { points { value } } } }`;
  // The first answer reaches the middle of August.
  expect(await cost(history('2025-06-01', '2025-06-14'))).toBe(2);
  expect(await cost(history('2025-12-01', '2025-12-14'))).toBe(1);
  expect(sandbox.requests().at(-1)?.path).toContain('start=2025-08-16');
  expect(await cost(history('2025-08-01', '2025-12-14'))).toBe(0);
});
