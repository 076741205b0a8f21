import { expect, test } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import type { Ledger } from '../../src/usage/units.ts';
import { limited, open, type Opened, reserve, usedOf } from './opened.ts';

const MINUTE = 60_000;

test('a unit counts from the moment it is reserved, and is given back if nothing was charged', () => {
  const opened = open();
  const reservation = reserve(opened, 'fx');
  expect(usedOf(opened)).toBe(1);
  reservation?.end({ units: 0 });
  expect(usedOf(opened)).toBe(0);
  reserve(opened, 'fx')?.end({ units: 3 });
  expect(usedOf(opened)).toBe(3);
});

test('each meter is counted separately', () => {
  const { ledger } = open(limited(1));
  for (const meter of ['fx', 'macro', 'macro', 'credits'] as const)
    reserve({ ledger }, meter)?.end({ units: 1 });
  expect(ledger.states().fx).toEqual({ usedThisMonth: 1, limit: 1, remaining: 0 });
  expect(ledger.states().macro).toEqual({ usedThisMonth: 2, limit: null, remaining: null });
  expect([ledger.left('fx') > 0, ledger.left('macro') > 0]).toEqual([false, true]);
});

test('a new month begins at zero, and a late answer counts for the month of its request', () => {
  const opened = open(limited(1));
  const late = reserve(opened, 'fx');
  opened.at('2026-11-30T23:59:59+03:00');
  expect(reserve(opened, 'fx')).toBeUndefined();
  opened.at('2026-12-01T00:00:00+03:00');
  expect(usedOf(opened)).toBe(0);
  late?.end({ units: 1 });
  expect(usedOf(opened)).toBe(0);
  expect(reserve(opened, 'fx')).toBeDefined();
});

test('a wall clock that is set back across the end of a month hides no unit', () => {
  const opened = open(limited(2));
  opened.at('2026-11-30T23:59:59+03:00');
  expect(reserve(opened, 'fx')).toBeDefined();
  opened.at('2026-12-01T00:00:00+03:00');
  expect(usedOf(opened)).toBe(0);
  opened.at('2026-11-30T23:59:59+03:00');
  expect(reserve(opened, 'fx')).toBeDefined();
  expect([usedOf(opened), reserve(opened, 'fx')]).toEqual([2, undefined]);
});

/** A request that the upstream refuses for lack of units. */
function exhaust(ledger: Ledger, meter: 'macro' | 'credits'): void {
  const reservation = reserve({ ledger }, meter);
  reservation?.end({ units: 0, exhausted: true });
}

test('an exhausted meter is closed, is probed by one request a minute, and opens when that is paid', () => {
  const { ledger, advance } = open();
  exhaust(ledger, 'credits');
  expect(ledger.left('credits') > 0).toBe(false);
  expect(ledger.states().credits.remaining).toBe(0);
  advance(MINUTE - 1);
  expect(reserve({ ledger }, 'credits')).toBeUndefined();
  advance(1);
  const probe = reserve({ ledger }, 'credits');
  expect(probe).toBeDefined();
  expect([ledger.left('credits') > 0, reserve({ ledger }, 'credits')]).toEqual([false, undefined]);
  probe?.end({ units: 1 });
  expect(ledger.left('credits') > 0).toBe(true);
});

test.each(['2026-11-20T11:00:00+03:00', '2026-11-20T13:00:00+03:00'])(
  'a wall clock set to %s neither opens a closed meter nor keeps it closed',
  (time) => {
    const { ledger, at, advance } = open();
    exhaust(ledger, 'credits');
    at(time);
    advance(MINUTE - 1);
    expect(ledger.left('credits') > 0).toBe(false);
    advance(1);
    expect(ledger.left('credits') > 0).toBe(true);
  },
);

test('an exhausted meter is open at once in a new month', () => {
  const { ledger, at } = open();
  at('2026-11-30T23:59:50+03:00');
  exhaust(ledger, 'macro');
  expect(ledger.left('macro') > 0).toBe(false);
  at('2026-12-01T00:00:00+03:00');
  expect(ledger.left('macro') > 0).toBe(true);
});

test('a refusal or a balance that arrives after the end of its month says nothing about the new one', () => {
  const { ledger, at } = open();
  at('2026-11-30T23:59:59+03:00');
  const late = [
    reserve({ ledger }, 'credits'),
    reserve({ ledger }, 'credits'),
    reserve({ ledger }, 'credits'),
  ];
  at('2026-12-01T00:00:01+03:00');
  late[0]?.end({ units: 1, remaining: 0 });
  late[1]?.end({ units: 1, remaining: 7 });
  late[2]?.end({ units: 0, exhausted: true });
  expect(ledger.left('credits') > 0).toBe(true);
  expect(ledger.states().credits.remaining).toBeNull();
});

function spend({ ledger }: Opened, remaining: number): void {
  const reservation = reserve({ ledger }, 'credits');
  reservation?.end({ units: 1, remaining });
}

test('the balance that the upstream states is what remains, whatever the limit', () => {
  const opened = open({ limits: { ...perMeter(() => undefined), credits: 50 } });
  spend(opened, 4199);
  expect(opened.ledger.states().credits).toEqual({ usedThisMonth: 1, limit: 50, remaining: 4199 });
});

test('units that somebody else spends are reported once', () => {
  const opened = open();
  spend(opened, 99);
  spend(opened, 98);
  expect(opened.spentElsewhere).toEqual([]);
  spend(opened, 94);
  spend(opened, 80);
  expect(opened.spentElsewhere).toEqual([['credits', 3]]);
});

test('balances that arrive while requests are in flight say nothing about others', () => {
  const opened = open();
  spend(opened, 99);
  const slow = reserve(opened, 'credits');
  spend(opened, 98);
  slow?.end({ units: 0 });
  spend(opened, 97);
  expect(opened.spentElsewhere).toEqual([]);
});
