import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { allUpTo, history, observations, pathOf, RATE, seriesOf, TODAY } from './last.ts';

/** The last values are asked for while a range of the same series is on its way, for another operation. */

const [DAILY, WEEKLY, MONTHLY] = ['TP.BRENT.SPOT', 'TP.KTF10', 'TP.FG.J0'];

/** Asks for a range, and for the last values once its request has arrived; returns the values and the path's requests. */
async function askDuring(bench: Bench, path: string, range: string, last: string) {
  const { sandbox, ask } = bench;
  const before = sandbox.requests().length;
  const ranged = ask(range);
  const sent = () =>
    sandbox
      .requests()
      .slice(before)
      .filter((one) => one.path.startsWith(path));
  await expect.poll(sent).toHaveLength(1);
  return { ranged, found: seriesOf(bench, last), sent };
}

test.each([
  [MONTHLY, 3, 0],
  // So few are not enough: the rest is one more request.
  [MONTHLY, 30, 1],
  [DAILY, 3, 0],
])('the range may bring them: %s, last %i', async (code, last, more) => {
  const bench = await open();
  const path = pathOf(code);
  await bench.ask(observations(WEEKLY, 'last: 1'));
  const release = bench.sandbox.fault({ kind: 'hold', path });
  const range = observations(code, 'start: "2025-11-20"');
  const asked = await askDuring(bench, path, range, observations(code, `last: ${last}`));
  // By the time that this is answered, the other one has sent all that it can.
  await bench.ask('{ fxRates { totalCount } }');
  release();
  expect((await asked.found).points).toEqual(allUpTo(bench, path, TODAY).slice(-last));
  expect((await asked.ranged).errors).toEqual([]);
  expect(asked.sent()).toHaveLength(1 + more);
});

test('a range that brings too few of them does not make the next request longer', async () => {
  const bench = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '20000' }, latencyMs: 300 });
  const asked = await askDuring(bench, RATE, history('start: "2026-10-20"'), history('last: 26'));
  expect((await asked.found).points).toEqual(allUpTo(bench, RATE, TODAY).slice(-26));
  for (const { path } of asked.sent()) expect(path).toMatch(/start=202[56]/);
  await asked.ranged;
});

test('a range that is refused does not refuse them', async () => {
  const bench = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '20000' }, latencyMs: 300 });
  bench.sandbox.fault({ kind: 'status', status: 422, path: RATE, times: 1 });
  const asked = await askDuring(bench, RATE, history('start: "2026-11-01"'), history('last: 3'));
  expect((await asked.found).points).toEqual(allUpTo(bench, RATE, TODAY).slice(-3));
  await asked.ranged;
});
