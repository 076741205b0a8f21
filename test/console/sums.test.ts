import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { spendersOf } from '../../src/console/spenders.ts';
import { createMonthSums, DIMENSIONS, hoursOf, type Sums } from '../../src/console/spent.ts';
import { METERS } from '../../src/meters.ts';
import type { SpentLine } from '../../src/shared/units.ts';
import { monthNamed } from '../../src/spending/calendar.ts';

/** The sums agree with the lines, at whichever hour they are read. */

const ZONE = 'Europe/Istanbul';
const MONTH = monthNamed('2026-10', ZONE);
const { from: FIRST, to: END } = hoursOf(MONTH);

const line = fc.record({
  hour: fc.integer({ min: FIRST, max: END - 1 }),
  meter: fc.constantFrom(...METERS),
  client: fc.constantFrom('', 'a', 'b', 'constructor'),
  operation: fc.constantFrom('X', 'Y'),
  dataset: fc.constantFrom('crypto', 'fx rates'),
  units: fc.integer({ min: -1, max: 9 }),
});

const first = {
  hour: FIRST,
  meter: 'fx',
  client: 'a',
  operation: 'X',
  dataset: 'fx rates',
} as const;

async function* portionsOf(lines: readonly SpentLine[]) {
  for (let i = 0; i < lines.length; i += 7) yield lines.slice(i, i + 7);
}

const unitsOf = (parts: readonly Sums[]) =>
  parts.flatMap(({ hours }) => [...hours.fx.values()]).reduce((a, b) => a + b, 0);

test('units by name, by hour and by day', async () => {
  const times = fc.array(fc.integer({ min: FIRST, max: END + 9 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 60 }), times, async (lines, hours) => {
      let now = 0;
      // A reader sees what was spent until then; lines of the last two hours may still grow.
      const known = (): SpentLine[] =>
        lines.map((one) => ({ ...one, units: one.hour < now - 1 ? one.units : one.units - 1 }));
      const sums = createMonthSums(MONTH, ZONE, (from, to) =>
        portionsOf(known().filter(({ hour }) => hour <= now && hour >= from && hour < to)),
      );
      for (const hour of hours.toSorted((a, b) => a - b)) {
        now = hour;
        const parts = await sums.read(hour);
        const seen = known().filter((one) => one.hour <= hour);
        for (const meter of METERS) {
          const ofMeter = seen.filter((one) => one.meter === meter);
          const whole = ofMeter.reduce((all, { units }) => all + units, 0);
          const byHour = parts.flatMap((part) => [...part.hours[meter].values()]);
          expect(byHour.reduce((a, b) => a + b, 0)).toBe(whole);
          for (const dimension of DIMENSIONS) {
            const { most } = spendersOf(parts, dimension);
            for (const { name, units, days } of most) {
              const own = ofMeter.filter((one) => one[dimension] === name);
              const plain = own.reduce((all, one) => all + one.units, 0);
              expect(units[meter]).toBe(plain);
              expect(days[meter].reduce((a, b) => a + b, 0)).toBe(plain);
            }
          }
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('units that are recorded late, for past hours, are counted within an hour', async () => {
  let lines: SpentLine[] = [{ ...first, units: 2 }];
  let isRead: number[] = [];
  const sums = createMonthSums(MONTH, ZONE, (from, to) => {
    isRead.push(from);
    return portionsOf(lines.filter(({ hour }) => hour >= from && hour < to));
  });
  const total = async (hour: number) => unitsOf(await sums.read(hour));
  expect(await total(FIRST + 5)).toBe(2);
  lines = [{ ...first, units: 9 }];
  isRead = [];
  expect(await total(FIRST + 5)).toBe(2);
  expect(isRead).toEqual([FIRST + 4]);
  expect(await total(FIRST + 6)).toBe(9);
});

test('what was read before the store failed is not counted twice', async () => {
  const lines = Array.from({ length: 20 }, (_, i) => ({ ...first, hour: FIRST + i, units: 1 }));
  let mayFail = true;
  const sums = createMonthSums(MONTH, ZONE, async function* () {
    for await (const portion of portionsOf(lines)) {
      yield portion;
      if (mayFail) throw new Error('away');
    }
  });
  await expect(sums.read(FIRST + 30)).rejects.toThrow('away');
  mayFail = false;
  expect(unitsOf(await sums.read(FIRST + 30))).toBe(lines.length);
});
