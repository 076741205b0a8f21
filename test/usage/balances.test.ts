import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { MAY_BE_CHARGED_MS } from '../../src/shared/account.ts';
import { type Opened, open, reserve as reserveUnit } from './opened.ts';

/** Balances that the upstream states: in which order they count, and what they reveal about timeouts. */

const creditsOf = ({ ledger }: Opened) => ledger.states().credits;
const reserve = (opened: Opened) => reserveUnit(opened, 'credits')!;

function spend(opened: Opened, remaining: number): void {
  const request = reserve(opened);
  request.end({ units: 1, remaining });
}

test('if the first two answers arrive in the wrong order, no alarm is raised, and the lower balance counts', () => {
  const opened = open();
  const [first, second] = [reserve(opened), reserve(opened)];
  second.end({ units: 1, remaining: 98 });
  first.end({ units: 1, remaining: 99 });
  expect(creditsOf(opened).remaining).toBe(98);
  spend(opened, 97);
  expect(opened.spentElsewhere).toEqual([]);
});

test('a balance says nothing about a request that ended after it without stating one', () => {
  const opened = open();
  spend(opened, 99);
  const [early, late] = [reserve(opened), reserve(opened)];
  // Stated before the other one was charged.
  early.end({ units: 1, remaining: 98 });
  late.end({ units: 1 });
  spend(opened, 96);
  expect(opened.spentElsewhere).toEqual([]);
});

test('a balance says nothing about a request that left later and ended first, without stating one', () => {
  const opened = open();
  spend(opened, 99);
  reserve(opened).endUnanswered();
  const [early, late] = [reserve(opened), reserve(opened)];
  late.end({ units: 1 });
  // Stated before the other one was charged; the one without an answer never was.
  early.end({ units: 1, remaining: 98 });
  expect(creditsOf(opened).usedThisMonth).toBe(3);
  spend(opened, 96);
  expect(creditsOf(opened).usedThisMonth).toBe(4);
  expect(opened.spentElsewhere).toEqual([]);
});

test('bought units show with the answer to a request that left after the last balance', () => {
  const opened = open();
  spend(opened, 9);
  const early = reserve(opened);
  spend(opened, 1008);
  expect(creditsOf(opened).remaining).toBe(1008);
  early.end({ units: 1, remaining: 7 });
  expect(creditsOf(opened).remaining).toBe(7);
  spend(opened, 1006);
  expect(creditsOf(opened).remaining).toBe(1006);
});

test('after units were bought, spending by others shows again', () => {
  const opened = open();
  const elsewhere = () => opened.ledger.allowance('credits').elsewhere;
  spend(opened, 99);
  spend(opened, 88);
  expect(elsewhere()).toBe(10);
  spend(opened, 1087);
  expect(elsewhere()).toBe(0);
  spend(opened, 1066);
  expect(elsewhere()).toBe(20);
  expect(opened.spentElsewhere).toEqual([['credits', 10]]);
});

test('a paid answer to a request that left before the meter was closed does not open it', () => {
  const opened = open();
  const [last, refused] = [reserve(opened), reserve(opened)];
  refused.end({ units: 0, exhausted: true });
  last.end({ units: 1 });
  expect(opened.ledger.left('credits') > 0).toBe(false);
});

const START = 1000;
/** Each number advances one of the requests: it leaves, is charged, is answered. */
const steps = fc.array(fc.nat(5), { minLength: 10, maxLength: 120 });

test('requests charged and answered in any order raise no alarm, and end with the true balance', () => {
  fc.assert(
    fc.property(steps, (order) => {
      const opened = open();
      let balance = START;
      const slots = Array.from({ length: 6 }, () => ({ next: () => {}, isUnderWay: false }));
      for (const slot of slots)
        slot.next = function leave() {
          const request = reserve(opened);
          slot.isUnderWay = true;
          slot.next = () => {
            const stated = (balance -= 1);
            slot.next = () => {
              request.end({ units: 1, remaining: stated });
              slot.isUnderWay = false;
              slot.next = leave;
            };
          };
        };
      for (const which of order) slots[which]!.next();
      for (const slot of slots) while (slot.isUnderWay) slot.next();
      expect(opened.spentElsewhere).toEqual([]);
      const { usedThisMonth, remaining } = creditsOf(opened);
      expect([usedThisMonth, remaining ?? START]).toEqual([START - balance, balance]);
    }),
    { numRuns: 200 },
  );
});

const limited = { limits: { ...perMeter(() => undefined), credits: 50 } };

describe('a request that timed out', () => {
  test('counts as spent if its meter has a limit, and otherwise does not', () => {
    for (const [options, units] of [
      [limited, 1],
      [{}, 0],
      [{ ...limited, timeoutsCount: false }, 0],
      [{ timeoutsCount: true }, 1],
    ] as const) {
      const opened = open(options);
      expect(reserve(opened).endUnanswered()).toBe(units);
      expect(creditsOf(opened).usedThisMonth).toBe(units);
    }
  });

  test('is given back once a balance shows that it was not charged', () => {
    const opened = open(limited);
    spend(opened, 99);
    for (let i = 0; i < 3; i += 1) reserve(opened).endUnanswered();
    expect(creditsOf(opened).usedThisMonth).toBe(4);
    opened.advance(MAY_BE_CHARGED_MS);
    spend(opened, 97);
    // One of the three was charged.
    expect(creditsOf(opened).usedThisMonth).toBe(3);
    spend(opened, 96);
    expect(creditsOf(opened).usedThisMonth).toBe(4);
    expect(opened.spentElsewhere).toEqual([]);
  });

  test('stays counted for a while: it may be charged after the next balance is stated', () => {
    const opened = open(limited);
    spend(opened, 49);
    reserve(opened).endUnanswered();
    // It is charged after this balance, at 47.
    spend(opened, 48);
    expect(creditsOf(opened).usedThisMonth).toBe(3);
    opened.advance(MAY_BE_CHARGED_MS);
    spend(opened, 46);
    expect(creditsOf(opened).usedThisMonth).toBe(4);
    expect(opened.spentElsewhere).toEqual([]);
  });

  test('before the first balance raises no alarm if it is charged after that', () => {
    const opened = open(limited);
    reserve(opened).endUnanswered();
    opened.advance(MAY_BE_CHARGED_MS - 1);
    const slow = reserve(opened);
    opened.advance(2);
    // It left before the other one was charged, at 48.
    slow.end({ units: 1, remaining: 49 });
    spend(opened, 47);
    spend(opened, 46);
    expect(creditsOf(opened).usedThisMonth).toBe(4);
    expect(opened.spentElsewhere).toEqual([]);
    spend(opened, 44);
    expect(opened.spentElsewhere).toEqual([['credits', 1]]);
  });

  test('that counts as free is counted once a balance shows that it was charged, and nobody else is blamed', () => {
    const opened = open();
    spend(opened, 99);
    reserve(opened).endUnanswered();
    spend(opened, 97);
    expect(creditsOf(opened).usedThisMonth).toBe(3);
    expect(opened.spentElsewhere).toEqual([]);
    spend(opened, 93);
    expect(opened.spentElsewhere).toEqual([['credits', 3]]);
  });

  test('stays counted if a balance rises because units were bought, and is gone with the month', () => {
    const opened = open(limited);
    spend(opened, 9);
    reserve(opened).endUnanswered();
    spend(opened, 1008);
    expect(creditsOf(opened).usedThisMonth).toBe(3);
    opened.at('2026-12-01T00:00:00+03:00');
    expect(creditsOf(opened).usedThisMonth).toBe(0);
  });
});
