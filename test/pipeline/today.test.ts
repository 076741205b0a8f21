import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An answer to a question about the days up to today holds until midnight, and while today is the same day. */

const MIDNIGHT = Date.parse('2026-11-25T00:00:00+03:00');
const BEFORE_MS = 20_000;
const HISTORY = '{ fxRate(pair: "USDTRY") { history { end } } }';

async function openBeforeMidnight() {
  const clock = { wall: MIDNIGHT - BEFORE_MS, monotonic: 0 };
  const bench = await open({ now: () => clock.wall, monotonic: () => clock.monotonic });
  const ask = () =>
    bench.send(
      { headers: { 'graphql-require-preflight': '1' } },
      `?query=${encodeURIComponent(HISTORY)}`,
    );
  return { clock, ask };
}

const ending = (end: string) => ({ fxRate: { history: { end } } });

test('shared caches may keep it until midnight at most', async () => {
  const { ask } = await openBeforeMidnight();
  const { data, headers } = await ask();
  expect(data).toEqual(ending('2026-11-24'));
  const [, maxAge] = /max-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? [];
  expect(Number(maxAge)).toBeGreaterThan(0);
  expect(Number(maxAge)).toBeLessThanOrEqual(BEFORE_MS / 1000);
});

test('it is not sent any more once the wall clock was set to another day', async () => {
  const { clock, ask } = await openBeforeMidnight();
  for (let i = 0; i < 2; i += 1) expect((await ask()).data).toEqual(ending('2026-11-24'));
  clock.wall += 2 * BEFORE_MS;
  expect((await ask()).data).toEqual(ending('2026-11-25'));
});
