import { expect, test } from 'vitest';
import { costsFrom, refreshCost, refreshedUnits } from '../../src/spending/cost-curve.ts';
import { pressureFor, PRIORITIES } from '../../src/spending/priority.ts';
import { FREE_COST, HOUR, MINUTE, open } from './governed.ts';

test.each(PRIORITIES)(
  'what refreshes for clients of priority %s have cost is what they are learned to cost at that stretch',
  async (priority) => {
    const { governor, world, history, ask, pass } = open({ limit: FREE_COST / 10 });
    pass(6 * 24);
    const stretch = governor.stretch();
    // Each expires after about an hour.
    const lifetimeMs = HOUR / (stretch * governor.patience(priority));
    const begun = Math.ceil(world.now / HOUR);
    for (world.now = begun * HOUR; world.now < (begun + 12) * HOUR; world.now += 5 * MINUTE)
      for (let key = 0; key < 10; key += 1) ask(`${priority} ${key}`, { lifetimeMs, priority });
    const learned = { units: 0, cost: 0 };
    const rows = await history.read('credits', begun);
    for (const row of rows.values()) {
      const costs = costsFrom(row);
      learned.units += refreshedUnits(costs);
      learned.cost += refreshCost(costs, pressureFor(stretch));
    }
    expect(learned.units).toBeGreaterThan(50);
    expect(learned.cost / learned.units).toBeGreaterThan(0.8);
    expect(learned.cost / learned.units).toBeLessThan(1.25);
  },
);
