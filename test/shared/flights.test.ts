import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { otherProcess, stored } from './stored.ts';

/** Several gateways that want the same at the same moment ask for it once. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';

async function openSeveral(count: number, env: Record<string, string> = {}) {
  const common = { DATA_DIR: temporaryFolder(), ...env };
  const bench = await open({ env: common });
  const others = await Promise.all(Array.from({ length: count - 1 }, () => bench.another(common)));
  return { ...bench, folder: common.DATA_DIR, all: [bench, ...others] };
}

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

test('a herd on four gateways is one request, and all get its answer', async () => {
  const { sandbox, all } = await openSeveral(4);
  sandbox.set({ latencyMs: 50 });
  const replies = await Promise.all(all.flatMap(({ ask }) => times(25, () => ask(RATES))));
  expect(sandbox.requests()).toHaveLength(1);
  expect(new Set(replies.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  const used = replies.map(({ extensions }) => extensions.usage.fx.used);
  expect(used.reduce((sum, one) => sum + one)).toBe(1);
});

test('ranges that overlap cost one request more at most', async () => {
  const { sandbox, all } = await openSeveral(4, { WIDEN_MAX_BYTES: '0' });
  sandbox.set({ latencyMs: 50 });
  const replies = await Promise.all(
    all.map(({ ask }, i) =>
      ask<{ rate: { history: { points: { date: string }[] } } }>(
        `{ rate: fxRate(pair: "USDTRY") { history(start: "2026-0${i + 1}-01", end: "2026-06-30") { points { date } } } }`,
      ),
    ),
  );
  const histories = sandbox.requests().filter(({ path }) => path.includes('history'));
  expect(histories.length).toBeLessThanOrEqual(2);
  for (const [i, { data, errors }] of replies.entries()) {
    expect(errors).toEqual([]);
    expect(data.rate.history.points[0]!.date.slice(0, 7)).toBe(`2026-0${i + 1}`);
  }
});

test('different tickers do not wait for each other', async () => {
  const { sandbox, all } = await openSeveral(2);
  const [one, other] = all;
  await one!.ask('{ cryptoAssets(first: 1) { totalCount } }');
  const holding = sandbox.fault({ kind: 'hold', path: '/crypto', times: 1 });
  const first = one!.ask('{ cryptoAsset(symbol: "NOVZ") { price } }');
  await expect.poll(() => sandbox.requests().length).toBe(2);
  const { data } = await other!.ask('{ cryptoAsset(symbol: "NOVM") { symbol } }');
  expect(data).toEqual({ cryptoAsset: { symbol: 'NOVM' } });
  holding();
  expect((await first).errors).toEqual([]);
});

test('where the one that asks fails, another asks', async () => {
  const { sandbox, all } = await openSeveral(3);
  sandbox.set({ latencyMs: 20 });
  sandbox.fault({ kind: 'status', status: 400, path: '/v1/fx/rates', times: 1 });
  const replies = await Promise.all(all.map(({ ask }) => ask(RATES)));
  expect(replies.filter(({ errors }) => errors.length > 0)).toHaveLength(1);
  expect(sandbox.requests()).toHaveLength(2);
});

test('a flight whose owner has died ends with its lease, and one of those who wait asks', async () => {
  const { sandbox, all, folder, clock } = await openSeveral(3);
  await all[0]!.ask('{ cryptoAssets(first: 1) { totalCount } }');
  await stored(folder, 1);
  const db = otherProcess(folder);
  const key = String(db.prepare('SELECT key FROM answers').get()?.['key']);
  const ofRates = key.replace(/(?<=^\S+ ).*/, 'fx rates all');
  const until = clock.now() + 2000;
  db.prepare('INSERT INTO flights VALUES (?, ?, ?, ?, 0)').run('dead', ofRates, 'null', until);
  db.close();
  const before = sandbox.requests().length;
  const waiting = Promise.all(all.map(({ ask }) => ask(RATES)));
  await pause(100);
  expect(sandbox.requests()).toHaveLength(before);
  clock.advance(2001);
  for (const { errors } of await waiting) expect(errors).toEqual([]);
  expect(sandbox.requests()).toHaveLength(before + 1);
});
