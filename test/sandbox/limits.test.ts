import { expect, test } from 'vitest';
import { createClock, open } from './harness.ts';
import * as spec from './spec.ts';

test('the FX quota and the macro quota are counted separately, and exceeded with 429', async () => {
  const { a, sandbox } = await open({ fxQuota: 2, macroQuota: 1 });
  await a('/v1/fx/rates');
  await a('/v1/fx/rates/EURUSD/history');
  const third = await a('/v1/fx/rates');
  expect([third.status, spec.errorA.parse(third.body).error]).toEqual([429, 'quota_exceeded']);
  expect((await a('/v1/macro/catalog')).status).toBe(200);
  expect((await a('/v1/macro/series/TP.FG.J0')).status).toBe(429);
  expect(sandbox.spent()).toEqual({ fx: 2, macro: 1, credits: 0 });
});

test('a success costs one credit, and 402 follows the last one', async () => {
  const { b, sandbox } = await open({ credits: 2 });
  const first = spec.crypto.parse((await b('/crypto/prices?limit=500')).body);
  expect([first.creditsUsed, first.creditsRemaining]).toEqual([1, 1]);
  expect((await b('/crypto/prices?limit=501')).status).toBe(422);
  expect((await b('/crypto/prices?symbols=NOPE')).status).toBe(404);
  const second = spec.calendar.parse((await b('/calendar/events')).body);
  expect(second.creditsRemaining).toBe(0);
  const third = await b('/crypto/prices?limit=501');
  expect(third.status).toBe(402);
  expect(spec.errorB.parse(third.body)).toMatchObject({
    code: 'insufficient_credits',
    creditsRemaining: 0,
  });
  expect(sandbox.spent().credits).toBe(2);
});

test('the counters begin anew with the calendar month of Istanbul', async () => {
  const clock = createClock(Date.parse('2026-11-30T23:59:59+03:00'));
  const { a, b, sandbox } = await open({ fxQuota: 1, credits: 1, now: clock.now });
  await a('/v1/fx/rates');
  await b('/crypto/prices');
  expect((await a('/v1/fx/rates')).status).toBe(429);
  expect((await b('/crypto/prices')).status).toBe(402);
  clock.set('2026-12-01T00:00:00+03:00');
  expect((await a('/v1/fx/rates')).status).toBe(200);
  expect((await b('/crypto/prices')).status).toBe(200);
  expect(sandbox.spent()).toEqual({ fx: 2, macro: 0, credits: 2 });
});

test('the per-second limit of Group B is exceeded with 429 rate_limited and Retry-After', async () => {
  const clock = createClock();
  const { a, b } = await open({ requestsPerSecond: 2, credits: 3, now: clock.now });
  await b('/crypto/prices');
  await b('/crypto/prices?limit=501');
  const third = await b('/crypto/prices');
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '1']);
  expect(spec.errorB.parse(third.body)).toMatchObject({
    code: 'rate_limited',
    creditsRemaining: 2,
  });
  for (let count = 0; count < 5; count += 1) expect((await a('/v1/fx/rates')).status).toBe(200);
  clock.set('2026-11-20T12:00:01+03:00');
  expect((await b('/crypto/prices')).status).toBe(200);
});

test('limits can be changed while it runs, and a reset forgets what was counted', async () => {
  const { b, sandbox } = await open();
  await b('/crypto/prices');
  sandbox.set({ credits: 1 });
  expect((await b('/crypto/prices')).status).toBe(402);
  sandbox.reset();
  expect(sandbox.spent().credits).toBe(0);
  expect(sandbox.requests()).toEqual([]);
  expect((await b('/crypto/prices')).status).toBe(200);
});
