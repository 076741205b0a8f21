import { expect, onTestFinished, test, vi } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { expectEvents } from '../live/gateway.ts';
import { openSse } from '../live/sse.ts';

/** A month through the gateway, with an injected clock: an allowance lasts, and the forecast says how. */

const HOUR_MS = 3_600_000;
const MONTH_HOURS = 30 * 24;
/** The first instant of a month in the upstream's time zone. */
const NOVEMBER = '2026-10-31T21:00:00Z';

const CRYPTO = ['USD', 'TRY', 'EUR'].map(
  (convert) => `{ cryptoAssets(first: 1, convert: ${convert}) { nodes { symbol } } }`,
);
const STATE = '{ usage { credits { usedThisMonth forecast { monthEnd exhaustedAt stretch } } } }';

interface State {
  usage: {
    credits: {
      usedThisMonth: number;
      forecast: { monthEnd: number; exhaustedAt: string | null; stretch: number } | null;
    };
  };
}

/** Asks two questions an hour, varying from hour to hour, and records the stretch once a day. */
async function runHours({ ask, get, clock }: Bench, hours: number) {
  const seen = { refused: 0, questions: 0, stretches: [] as number[] };
  for (let hour = 0; hour < hours; hour += 1) {
    for (const part of [0.31, 0.57]) {
      clock.advance(part * HOUR_MS);
      seen.questions += 1;
      const { errors } = await ask(CRYPTO[(seen.questions * 7 + hour) % CRYPTO.length]!);
      seen.refused += errors.length;
    }
    clock.advance(0.12 * HOUR_MS);
    if (hour % 24 !== 12) continue;
    const { usage } = await get<State>(STATE);
    seen.stretches.push(usage.credits.forecast?.stretch ?? 0);
  }
  return seen;
}

test('a third of what free spending takes lasts for the month, and hardly anything is left over', async () => {
  const limit = 480;
  const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: String(limit) } });
  bench.clock.set(NOVEMBER);
  const { refused, stretches } = await runHours(bench, MONTH_HOURS - 1);
  expect(refused).toBe(0);
  expect(bench.sandbox.spent().credits).toBeLessThanOrEqual(limit);
  expect(bench.sandbox.spent().credits).toBeGreaterThanOrEqual(limit * 0.95);
  expect(Math.max(...stretches)).toBeGreaterThan(10);
  // The governor learns in the first days.
  const daily = stretches.slice(3).map((stretch, i) => stretch / stretches[i + 2]!);
  expect(Math.max(...daily)).toBeLessThan(1.25 ** 24);
});

test('nothing is stretched if the allowance suffices', async () => {
  const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: '1440' } });
  bench.clock.set(NOVEMBER);
  const { refused, stretches, questions } = await runHours(bench, 10 * 24);
  expect([refused, new Set(stretches)]).toEqual([0, new Set([1])]);
  expect(bench.sandbox.spent().credits).toBe(questions);
  const { usage } = await bench.get<State>(STATE);
  expect(usage.credits.forecast?.exhaustedAt).toBe(null);
  expect(usage.credits.forecast?.monthEnd).toBeGreaterThan(1440 * 0.85);
  expect(usage.credits.forecast?.monthEnd).toBeLessThan(1440 * 1.15);
});

test('SPENDING=free spends at full speed, and the forecast says when that ends', async () => {
  const bench = await open({ env: { CREDITS_MONTHLY_LIMIT: '480', SPENDING: 'free' } });
  bench.clock.set(NOVEMBER);
  const { stretches } = await runHours(bench, 5 * 24);
  expect(new Set(stretches)).toEqual(new Set([1]));
  const { usage } = await bench.get<State>(STATE);
  const exhaustedAt = Date.parse(usage.credits.forecast?.exhaustedAt ?? '');
  const days = (exhaustedAt - Date.parse(NOVEMBER)) / (24 * HOUR_MS);
  expect(days).toBeGreaterThan(8);
  expect(days).toBeLessThan(13);
});

/** A gateway that saves credits, with a client of high priority (`vip`) and another one (`web`). */
async function openSaving() {
  const clients = [{ name: 'vip', priority: 'HIGH' }, { name: 'web' }];
  const { bench, ask } = await openKeys(clients, { env: { CREDITS_MONTHLY_LIMIT: '480' } });
  bench.clock.set(NOVEMBER);
  const web = {
    ...bench,
    ask: <T>(query: string) => ask<T>('web', query),
    get: async <T>(query: string) => (await ask<T>('web', query)).data,
  };
  await runHours(web, 4 * 24);
  const stretch = async () => (await web.get<State>(STATE)).usage.credits.forecast?.stretch ?? 1;
  return { bench, ask, stretch };
}

test('a client of high priority gets fresher data than others, from the same cache', async () => {
  const { bench, ask, stretch } = await openSaving();
  await ask('web', CRYPTO[0]!);
  // Clients of high priority are stretched sixteen times less.
  bench.clock.advance((30_000 * 1.5 * (await stretch())) / 16);
  const web = await ask('web', CRYPTO[0]!);
  const vip = await ask('vip', CRYPTO[0]!);
  expect([web, vip].map(({ extensions }) => extensions.usage.credits.used)).toEqual([0, 1]);
});

test('live updates come as often as the highest priority among the subscribers demands', async () => {
  const clients = [{ name: 'vip', priority: 'HIGH' }, { name: 'web' }];
  const env = { CREDITS_MONTHLY_LIMIT: '480' };
  const { bench, ask, headersOf } = await openKeys(clients, { env, unreadUnits: { credits: 3 } });
  bench.clock.set(NOVEMBER);
  const web = {
    ...bench,
    ask: <T>(query: string) => ask<T>('web', query),
    get: async <T>(query: string) => (await ask<T>('web', query)).data,
  };
  await runHours(web, 4 * 24);
  const { usage } = await web.get<State>(STATE);
  const vipLifetime = (30_000 * (usage.credits.forecast?.stretch ?? 1)) / 16;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = (ms: number) => {
    bench.clock.advance(ms);
    vi.advanceTimersByTime(ms);
  };
  const query = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price } }';
  const ofWeb = await openSse(bench.url, { query }, 'POST', headersOf('web'));
  onTestFinished(ofWeb.leave);
  await expectEvents([ofWeb], 1);
  const before = bench.sandbox.spent().credits;
  const spent = () => bench.sandbox.spent().credits - before;
  // For the other client the value stays fresh much longer.
  pass(vipLifetime * 1.1);
  expect(spent()).toBe(0);
  const ofVip = await openSse(bench.url, { query }, 'POST', headersOf('vip'));
  onTestFinished(ofVip.leave);
  await expect.poll(spent).toBe(1);
  await expectEvents([ofWeb, ofVip], 2);
  pass(vipLifetime * 1.1);
  await expect.poll(spent).toBe(2);
});

test('an answer without records, asked for by a client of high priority, is not paid for again with its next question', async () => {
  const { bench, ask, stretch } = await openSaving();
  const latest = (alias: string) => `{ ${alias}: legislationChanges { totalCount } }`;
  await ask('web', latest('a'));
  const factor = await stretch();
  expect(factor).toBeGreaterThan(16);
  bench.clock.advance((900_000 * 1.1 * factor) / 16);
  const rewrite = (body: unknown) => Object.assign({}, body, { data: [], total: 0 });
  bench.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite });
  const first = await ask('vip', latest('b'));
  const second = await ask('vip', latest('c'));
  const used = [first, second].map(({ extensions }) => extensions.usage.credits.used);
  expect(used).toEqual([1, 0]);
});
