import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Bench, open, timeoutFor } from '../harness.ts';
import { CALENDAR, isFiltered, LEGISLATION, PAUSE_MS } from './late.ts';

/** What is concluded from an answer that was late: how many days do come in time, and whether a retry helps. */

const isAll = (path: string) => !isFiltered(path);
const changes = (filter: string) => `{ legislationChanges(filter: { ${filter} }) { totalCount } }`;

/** Opens a gateway on real time that knows how large the changes of a day are. */
async function openKnowing(bytesPerSecond?: number): Promise<Bench> {
  const bench = await open({
    env: timeoutFor('hang'),
    monotonic: () => performance.now(),
    ...(bytesPerSecond && { bytesPerSecond }),
  });
  await bench.get(changes('search: "vergi", start: "2026-11-15"'));
  return bench;
}

describe.each([
  ['changes', LEGISLATION],
  ['events', CALENDAR],
])('%s', (_name, { field, range, fewDays, filter, others }) => {
  test('of a few days are requested all together after a slow moment', async () => {
    const { cost, clock, sandbox } = await open({ env: timeoutFor('hang') });
    sandbox.fault({ kind: 'slow', bytesPerSecond: 400, group: 'B', path: isAll });
    await cost(`{ ${field(`${range}, ${filter}`)} }`);
    sandbox.clearFaults();
    clock.advance(PAUSE_MS);
    const costs = [];
    for (const other of others) costs.push(await cost(`{ ${field(`${fewDays}, ${other}`)} }`));
    expect(costs).toEqual([1, ...others.slice(1).map(() => 0)]);
  });
});

/** By then, the pause after a failure is over on the real clock. */
const REAL_PAUSE_MS = 1000;

test('how many days come in time is judged by all days that were requested', async () => {
  const { cost, sandbox } = await openKnowing();
  sandbox.fault({ kind: 'slow', bytesPerSecond: 50_000, group: 'B', path: isAll });
  // Widened to a year, of which about 50 days arrive.
  await cost(changes('start: "2026-07-20", end: "2026-11-10", topics: ["tax"]'));
  await setTimeout(REAL_PAUSE_MS);
  const month = 'start: "2026-10-20", end: "2026-11-15"';
  expect(await cost(changes(`${month}, topics: ["zoning"]`))).toBe(1);
  expect(isFiltered(sandbox.requests().at(-1)!.path)).toBe(false);
  expect(await cost(changes(`${month}, types: [LAW]`))).toBe(0);
});

test.each([
  ['a widened', 'start: "2026-07-20", end: "2026-11-10"', 291],
  ['an exact', 'start: "2025-11-19", end: "2026-11-20"', 907],
])(
  '%s request is repeated if its answer was late because it began late',
  async (_, range, totalCount) => {
    const { get, sandbox } = await openKnowing(500_000);
    sandbox.fault({ kind: 'delay', delayMs: 1750, group: 'B', times: 1 });
    expect(await get(changes(range))).toMatchObject({ legislationChanges: { totalCount } });
  },
);

test('the retry for fewer days is sent again after a 429', async () => {
  const { get, sandbox } = await openKnowing();
  sandbox.fault({ kind: 'slow', bytesPerSecond: 50_000, group: 'B', times: 1 });
  sandbox.fault({ kind: 'status', status: 429, group: 'B', times: 1 });
  const before = sandbox.requests().length;
  await get(changes('start: "2026-10-10", end: "2026-11-10"'));
  expect(
    sandbox
      .requests()
      .slice(before)
      .map(({ status }) => status),
  ).toEqual([200, 429, 200]);
});
