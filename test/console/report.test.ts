import { expect, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { METERS } from '../../src/meters.ts';
import { otherProcess } from '../shared/stored.ts';
import { type DemoClient, writePast } from '../../src/demo/past.ts';
import { COINS, lateInMonth, openConsole, RATES } from './gateway.ts';

/** The console's report: it agrees with the upstream's count, covers all processes, and survives a restart. */

const HISTORY = '{ fxRate(pair: "USDTRY") { history { points { value } } } }';
const QUERIES = [RATES, RATES, COINS, HISTORY, RATES, '{ nothing }'];

test('units, queries and requests agree with the answers and with the upstream', async () => {
  const { ask, report, sandbox } = await openConsole();
  for (const query of QUERIES) await ask(query);
  const { meters, datasets, spenders, month } = await report();
  const spent = sandbox.spent();
  for (const { meter, used, hours } of meters) {
    expect(used).toBe(spent[meter]);
    expect(hours.reduce((sum, [, units]) => sum + units, 0)).toBe(used);
  }
  expect(month.isCurrent).toBe(true);
  const rates = datasets.find(({ dataset }) => dataset === 'fx rates');
  // The history asks for the rate, too: it proves that the pair exists.
  expect(rates?.month).toMatchObject({ questions: 4, hits: 3, requests: 1, failed: 0, stale: 0 });
  expect(rates?.recent).toEqual(rates?.month);
  const operations = spenders.operation.most.map(({ name, units }) => [name, units]);
  expect(operations).toContainEqual(['Rates', { fx: 1, macro: 0, credits: 0 }]);
  expect(operations).toContainEqual(['Coins', { fx: 0, macro: 0, credits: 1 }]);
});

test('what is left is the balance or what the allowance leaves, whichever is less', async () => {
  const leftOf = async (env: Record<string, string>) => {
    const { ask, report } = await openConsole(env);
    await ask(RATES);
    await ask(COINS);
    return (await report()).meters.map(({ left }) => left);
  };
  // The sandbox states a balance of credits, and none of the others.
  const [fx, macro, balance] = await leftOf({ FX_MONTHLY_LIMIT: '5' });
  expect([fx, macro]).toEqual([4, null]);
  expect(balance).toBeGreaterThan(100);
  expect(await leftOf({ CREDITS_MONTHLY_LIMIT: '5' })).toEqual([null, null, 4]);
});

test('nothing is lost by a restart, and all processes are one account', async () => {
  const { ask, report, close, another, sandbox } = await openConsole();
  for (const query of QUERIES) await ask(query);
  const before = await report();
  await close();
  const [one, other] = [await another(), await another()];
  const after = await one.report();
  expect(after.meters.map(({ used }) => used)).toEqual(before.meters.map(({ used }) => used));
  expect(after.datasets).toEqual(before.datasets);
  // They are counted by the minute: the clock is at the beginning of one.
  await expect.poll(async () => (await one.report()).replicas).toBe(2);
  await other.ask('query Macro { macroCatalog(first: 1) { nodes { code } } }');
  await other.close();
  // A report is made at most once a second, however many ask.
  const macro = async () =>
    (await one.report()).meters.find(({ meter }) => meter === 'macro')?.used;
  await expect.poll(macro).toBe(sandbox.spent().macro);
  const { datasets, replicas } = await one.report();
  expect(datasets.find(({ dataset }) => dataset === 'macro catalog')?.month.questions).toBe(1);
  expect(replicas).toBe(1);
});

test('a dry run and a refused operation do not count as queries', async () => {
  const { ask, report } = await openConsole();
  await ask('{ nothing }');
  await ask(RATES);
  for (let i = 0; i < 3; i += 1) await ask(RATES, { 'x-usage-dry-run': '1' });
  const { datasets } = await report();
  expect(datasets.map(({ dataset, month }) => [dataset, month.questions, month.hits])).toEqual([
    ['fx rates', 1, 0],
  ]);
});

test('a past month is reported as it was spent', async () => {
  const DATA_DIR = temporaryFolder();
  const clients: DemoClient[] = Array.from({ length: 60 }, (_, i) => ({
    name: `client-${i}`,
    share: 1,
    operations: ['A', 'B'],
  }));
  const now = lateInMonth();
  const { spent } = writePast(DATA_DIR, clients, { now, timezone: 'Europe/Istanbul' });
  const { report, get } = await openConsole({ DATA_DIR }, lateInMonth);
  const current = await report();
  for (const { meter, used } of current.meters) expect(used).toBe(spent[meter]);
  const { most, others } = current.spenders.client;
  expect([most.length, others.count]).toEqual([50, 10]);
  for (const meter of METERS) {
    const named = most.reduce((sum, { units }) => sum + units[meter], 0);
    expect(named + others.units[meter]).toBe(spent[meter]);
    for (const { units, days } of most)
      expect(days[meter].reduce((a, b) => a + b, 0)).toBe(units[meter]);
  }
  const earlier = new Date(now - 32 * 86_400_000).toISOString().slice(0, 7);
  const past = await report(earlier);
  expect(past.month).toMatchObject({ name: earlier, isCurrent: false });
  const csv = await (await get(`/spent.csv?month=${earlier}`)).text();
  const units = csv.trimEnd().split('\n').slice(1);
  const sum = (meter: string) =>
    units.reduce((all, line) => {
      const cells = line.split(',');
      return cells[1] === meter ? all + Number(cells[5]) : all;
    }, 0);
  for (const { meter, used } of past.meters) expect(used).toBe(sum(meter));
  expect(past.meters.every(({ forecast, limit }) => forecast === null && limit === null)).toBe(
    true,
  );
});

test('an invalid or future month is refused', async () => {
  const { get } = await openConsole();
  for (const month of ['2026-13', '2026-1', 'x', '9999-01', '']) {
    const answer = await get(`/report.json?month=${month}`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/^month: /)]);
  }
});

test('figures need the token, the page does not', async () => {
  const { get } = await openConsole({ ADMIN_TOKEN: 'a-token' });
  for (const path of ['/report.json', '/spent.csv']) {
    expect((await get(path)).status).toBe(401);
    expect((await get(path, { authorization: 'Bearer a-token' })).status).toBe(200);
  }
  const page = await get('/');
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  for (const [, file] of (await page.text()).matchAll(/(?:src|href)="([\w.]+)"/g))
    expect((await get(`/${file}`)).status).toBe(200);
  for (const path of ['/assets.ts', '/../assets.ts', '/constructor', '/tsconfig.json'])
    expect((await get(path)).status).toBe(401);
});

test('if only answers cannot be stored, it does not say that spending cannot be counted', async () => {
  const DATA_DIR = temporaryFolder();
  const { ask, sandbox, report } = await openConsole({ DATA_DIR, FX_MONTHLY_LIMIT: '5' });
  const other = otherProcess(DATA_DIR);
  other.exec('DROP TABLE answers');
  other.close();
  await ask(RATES);
  await expect.poll(async () => (await report()).meters[0]?.used).toBe(1);
  expect(sandbox.spent().fx).toBe(1);
  expect((await report()).store).toBe('ok');
});
