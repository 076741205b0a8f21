import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { MAY_BE_CHARGED_MS } from '../../src/shared/account.ts';
import { open, reserve as reserveUnit } from './opened.ts';

/** Units of requests that may have been charged, while somebody else spends from the same balance. */

/** The same cases each time; for others: `SEED=1 npx vitest run test/usage/uncertain-units.test.ts`. */
const SEED = Number(process.env['SEED'] ?? 20_261_129);
const LIMIT = 1000;
const limits = { ...perMeter(() => undefined), credits: LIMIT };

/** A ledger, and the upstream's own account of the same units. */
function openWorld() {
  const opened = open({ limits });
  const { ledger, advance } = opened;
  const upstream = { balance: 500, charged: 0 };
  /** In how many milliseconds units are charged. */
  let chargesInMs: number[] = [];

  function charge(): void {
    upstream.balance -= 1;
    upstream.charged += 1;
  }

  const reserve = () => reserveUnit({ ledger }, 'credits')!;
  const used = () => ledger.states().credits.usedThisMonth;
  return {
    upstream,
    used,
    elsewhere: () => ledger.allowance('credits').elsewhere,
    reportedSpenders: opened.spentElsewhere,
    pass(ms: number): void {
      for (const _ of chargesInMs.filter((delayMs) => delayMs <= ms)) charge();
      chargesInMs = chargesInMs.filter((delayMs) => delayMs > ms).map((delayMs) => delayMs - ms);
      advance(ms);
    },
    pay(): void {
      const request = reserve();
      charge();
      request.end({ units: 1, remaining: upstream.balance });
    },
    /** Two in flight at the same time; the one charged last is answered first. */
    payTwo(): void {
      const both = [reserve(), reserve()].map((request) => {
        charge();
        return { request, remaining: upstream.balance };
      });
      for (const { request, remaining } of both.toReversed()) request.end({ units: 1, remaining });
    },
    timeOut(charged: 'AT_ONCE' | 'LATE' | 'NEVER', afterMs = 0): void {
      const request = reserve();
      if (charged === 'AT_ONCE') charge();
      request.endUnanswered();
      if (charged === 'LATE') chargesInMs.push(afterMs);
    },
    /** A maintenance page, with status 200. */
    sendPage: () => void reserve().end({ units: undefined }),
    refuse: () => void reserve().end({ units: 0, remaining: upstream.balance, exhausted: true }),
    spendElsewhere: (units: number) => void (upstream.balance -= units),
    buy: (units: number) => void (upstream.balance += units),
  };
}
type World = ReturnType<typeof openWorld>;

/** Somebody else has spent, and that is known. */
function openShared(): World {
  const world = openWorld();
  world.pay();
  world.spendElsewhere(1);
  world.pay();
  expect(world.reportedSpenders).toEqual([['credits', 1]]);
  return world;
}

function times(count: number, task: () => void): void {
  for (let i = 0; i < count; i += 1) task();
}

describe('if somebody else spends, too', () => {
  test('units that the balance shows not to have been charged are given back', () => {
    const world = openShared();
    times(40, world.sendPage);
    world.timeOut('AT_ONCE');
    expect(world.used()).toBe(43);
    world.pass(MAY_BE_CHARGED_MS);
    world.pay();
    expect([world.used(), world.upstream.charged]).toEqual([4, 4]);
    expect(world.elsewhere()).toBe(1);
  });

  test('units that a fall caused by others may hide stay counted, and the rest is given back', () => {
    const world = openShared();
    times(40, world.sendPage);
    world.spendElsewhere(30);
    world.pass(MAY_BE_CHARGED_MS);
    world.pay();
    expect(world.used()).toBe(33);
    // Those thirty can no longer be told apart, whatever a balance shows.
    world.buy(20);
    world.pay();
    expect(world.used()).toBe(34);
  });

  test('bought units, or a balance that rises by itself, give back nothing that was charged', () => {
    const world = openShared();
    times(5, () => world.timeOut('AT_ONCE'));
    world.pass(MAY_BE_CHARGED_MS);
    world.pay();
    for (const units of [-3, 3, 1000, -2, 2]) {
      world.buy(units);
      world.pay();
    }
    expect([world.used(), world.upstream.charged]).toEqual([13, 13]);
  });
});

const step = fc.oneof(
  fc.constant((world: World) => world.pay()),
  fc.constant((world: World) => world.payTwo()),
  fc.constant((world: World) => world.timeOut('AT_ONCE')),
  fc.constant((world: World) => world.timeOut('NEVER')),
  fc.constant((world: World) => world.sendPage()),
  fc.nat(MAY_BE_CHARGED_MS - 1).map((ms) => (world: World) => world.timeOut('LATE', ms)),
  fc.nat(2 * MAY_BE_CHARGED_MS).map((ms) => (world: World) => world.pass(ms)),
);
const spends = fc.integer({ min: 1, max: 3 }).map((units) => (world: World) => {
  world.spendElsewhere(units);
});

test('whatever is charged when, and whoever spends, no fewer units count than were charged', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 7, arbitrary: step }, spends)), (order) => {
      const world = openWorld();
      for (const run of order) {
        run(world);
        expect(world.used()).toBeGreaterThanOrEqual(world.upstream.charged);
      }
    }),
    { numRuns: 500, seed: SEED },
  );
});

test('once others stop spending, exactly what was charged counts in the end', () => {
  fc.assert(
    fc.property(fc.array(step), (order) => {
      const world = openShared();
      for (const run of order) run(world);
      world.pass(MAY_BE_CHARGED_MS);
      world.pay();
      expect(world.used()).toBe(world.upstream.charged);
    }),
    { numRuns: 500, seed: SEED },
  );
});

test('a refusal for lack of units, whatever balance it states, blames nobody else', () => {
  const { reportedSpenders, pay, refuse } = openWorld();
  pay();
  refuse();
  expect(reportedSpenders).toEqual([]);
});
