import { describe, expect, test } from 'vitest';
import { largestChanges, runGovernor } from '../bench/month-governor.ts';
import { runClairvoyant, runFree, runSplit } from '../bench/month-ways.ts';
import { createWorld } from '../bench/month-world.ts';

/** What `npm run bench:month` must show, for two of its months. */
const WORLDS = [
  {
    name: 'a month that begins on a Monday',
    world: createWorld({ seed: 1, month: '2026-06' }),
    percents: [50, 10],
  },
  {
    name: 'a month that begins on a Sunday',
    world: createWorld({ seed: 2, month: '2026-02' }),
    percents: [25],
  },
];

describe.each(WORLDS)('$name', ({ world, percents }) => {
  const all = runFree(world).units + world.elsewhere.length;

  test('is spent freely if the allowance just suffices', () => {
    const { stretches, refused } = runGovernor(world, all);
    expect(new Set(stretches)).toEqual(new Set([1]));
    expect(refused).toBe(0);
  });

  test.each(percents)('lasts with %i percent of what it takes', (percent) => {
    const allowance = Math.round((all * percent) / 100);
    const { refused, unused, meanAge, stretches } = runGovernor(world, allowance);
    expect(refused).toBe(0);
    expect(unused / allowance).toBeLessThan(0.05);
    expect(meanAge).toBeLessThan(1.15 * runClairvoyant(world, allowance).meanAge);
    expect(meanAge).toBeLessThan(runSplit(world, allowance).meanAge);
    expect(largestChanges(world, stretches).later).toBeLessThanOrEqual(1.25);
  });
});
