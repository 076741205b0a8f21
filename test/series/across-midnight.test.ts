import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The day ends while an operation waits for an answer: all of its fields mean the same day. */

const MINUTE_MS = 60_000;
const JUST_BEFORE_MIDNIGHT = '2026-11-24T20:59:30Z';

test.each([
  ['a range', 'history'],
  ['last values', 'history(last: 3)'],
])('%s: the history of a pair is asked for once', async (_what, history) => {
  const { clock, get, sandbox } = await open();
  clock.set(JUST_BEFORE_MIDNIGHT);
  const release = sandbox.fault({ kind: 'hold', path: '/v1/fx/rates' });
  const asked = get(`{ fxRate(pair: "USDTRY") { mid ${history} { end points { date } } } }`);
  await expect.poll(() => sandbox.requests().length).toBe(2);
  clock.advance(MINUTE_MS);
  release();
  const answer = JSON.stringify(await asked);
  expect(answer).toContain('"end":"2026-11-24"');
  expect(answer).toContain('"date":"2026-11-24"');
  expect(sandbox.requests()).toHaveLength(2);
});

test('an operation after it means the new day', async () => {
  const { clock, get } = await open();
  clock.set(JUST_BEFORE_MIDNIGHT);
  const question = '{ fxRate(pair: "USDTRY") { history { end } } }';
  expect(await get(question)).toEqual({ fxRate: { history: { end: '2026-11-24' } } });
  clock.advance(MINUTE_MS);
  expect(await get(question)).toEqual({ fxRate: { history: { end: '2026-11-25' } } });
});
