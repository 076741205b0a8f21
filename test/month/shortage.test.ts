import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { readReply } from '../reply.ts';

/** Which questions still cost a unit when hardly any are left. */

const HOUR_MS = 3_600_000;
/** The first instant of a month in the upstream's time zone. */
const NOVEMBER = '2026-10-31T21:00:00Z';

const history = (pair: string, start: string, end: string) =>
  `{ fxRate(pair: "${pair}") { history(start: "${start}", end: "${end}") { points { value } provenance { stale } } } }`;

interface Found {
  fxRate: { history: { points: { value: number }[]; provenance: { stale: boolean } } };
}

/** Asks for the rates, and for days that nobody has asked for, every three hours for five days. */
async function askRegularly({ ask, clock }: Bench): Promise<void> {
  for (let i = 0; i < 40; i += 1) {
    await ask('{ fxRates { totalCount } }');
    await ask(history('GBPTRY', `${1980 + i}-01-05`, `${1980 + i}-01-06`));
    clock.advance(3 * HOUR_MS);
  }
}

test('with few units left, old days are shown as they are, and days never asked for are paid for', async () => {
  // Nothing is requested in advance: which days are cached depends on the questions alone.
  const bench = await open({ env: { FX_MONTHLY_LIMIT: '100', WIDEN_MAX_BYTES: '1' } });
  bench.clock.set(NOVEMBER);
  const { ask, get, sandbox, clock } = bench;
  await get(history('USDTRY', '2025-03-03', '2025-03-07'));
  await askRegularly(bench);
  const spent = async (query: string) => {
    const before = sandbox.spent().fx;
    const { data } = await ask<Found>(query);
    return [sandbox.spent().fx - before, data?.fxRate.history.provenance.stale];
  };
  for (let i = 0; sandbox.spent().fx < 97; i += 1)
    await ask(history('CHFTRY', `${1980 + i}-01-05`, `${1980 + i}-01-06`));
  clock.advance(48 * HOUR_MS);
  expect(await spent(history('USDTRY', '2025-03-03', '2025-03-07'))).toEqual([0, true]);
  expect(await spent(history('USDTRY', '2025-03-03', '2025-03-14'))).toEqual([1, false]);
});

test('a question for new days is paid for although it has joined one that is answered from old ones', async () => {
  const bench = await open({
    env: { FX_MONTHLY_LIMIT: '100', WIDEN_MAX_BYTES: '1' },
    unreadUnits: 1,
  });
  bench.clock.set(NOVEMBER);
  const { ask, get, sandbox, clock } = bench;
  await get(history('USDTRY', '2025-03-03', '2025-03-07'));
  await askRegularly(bench);
  for (let i = 0; sandbox.spent().fx < 97; i += 1)
    await ask(history('CHFTRY', `${1980 + i}-01-05`, `${1980 + i}-01-06`));
  clock.advance(48 * HOUR_MS);
  // Both are planned in the same moment.
  const ends = ['2025-03-07', '2025-03-14'];
  const bodies = ends.map((end) => ({ query: history('USDTRY', '2025-03-03', end) }));
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const sent = bodies.map((body) =>
    bench.fetch(new Request(bench.url, { method: 'POST', headers, body: JSON.stringify(body) })),
  );
  const [old, all] = await Promise.all(
    sent.map(async (reply) => readReply(200, await (await reply).text())),
  );
  expect([old!.errors, all!.errors]).toEqual([[], []]);
  expect(all!.extensions.usage.fx.used).toBe(1);
});
