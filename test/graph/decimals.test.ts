import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { difference, mean, percentChange } from '../../src/graph/decimals.ts';

/** A decimal as a whole number of hundredths, thousandths and so on. */
const decimal = fc.record({
  units: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  places: fc.nat(8),
});

/** Returns the number that a text denotes, which is the nearest representable one. */
function numberOf(units: bigint, places: number): number {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const point = digits.length - places;
  const text = `${digits.slice(0, point)}.${digits.slice(point)}0`;
  return units < 0n ? -Number(text) : Number(text);
}

const PLACES = 9;
const unitsOf = ({ units, places }: { units: number; places: number }) =>
  BigInt(units) * 10n ** BigInt(PLACES - places);
const plain = ({ units, places }: { units: number; places: number }) =>
  numberOf(BigInt(units), places) + 0;

const placesOf = (value: number) =>
  (/[.](\d+)$/.exec(value.toFixed(9).replace(/0+$/, ''))?.[1] ?? '').length;

describe('computed numbers', () => {
  test('differences and means are the numbers nearest to the exact decimals', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [exactA, exactB] = [unitsOf(a), unitsOf(b)];
        expect(difference(plain(a), plain(b))).toBe(numberOf(exactB - exactA, PLACES));
        expect(mean(plain(a), plain(b))).toBe(numberOf((exactA + exactB) * 5n, PLACES + 1));
      }),
      { numRuns: 5000 },
    );
  });

  test('percentages are the nearest decimals of the stated number of places', () => {
    const first = decimal.filter(({ units }) => units !== 0);
    fc.assert(
      fc.property(first, decimal, (a, b) => {
        const result = percentChange(plain(a), plain(b));
        // The digits of the first value, once both are written with the same number of decimals.
        const places = Math.max(...[a, b].map((one) => placesOf(plain(one))));
        const digits = String(Math.abs(Math.round(plain(a) * 10 ** places))).length;
        const percentPlaces = Math.max(2, digits - 2);
        const step = 10 ** -percentPlaces;
        const exact = ((plain(b) - plain(a)) / plain(a)) * 100;
        expect(Math.abs(result - exact)).toBeLessThanOrEqual(step / 2 + Math.abs(exact) * 1e-9);
        expect(result).toBe(Number(result.toFixed(percentPlaces)) + 0);
      }),
      { numRuns: 2000 },
    );
  });

  test('of any two numbers are finite, and never negative zero', () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(any, any, (a, b) => {
        const results = [difference(a, b), mean(a, b), ...(a === 0 ? [] : [percentChange(a, b)])];
        for (const result of results) {
          expect(Number.isFinite(result)).toBe(true);
          expect(Object.is(result, -0)).toBe(false);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test('whole numbers are exact', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (a, b) => {
        expect(difference(a, b)).toBe(b - a + 0);
      }),
    );
  });

  test.each([
    [1.1632, 1.1639, 1.16355, 0.0007],
    [1.1, 1.2, 1.15, 0.1],
    [44.0505, 44.1298, 44.09015, 0.0793],
    [1e-7, 3e-7, 2e-7, 2e-7],
    [5e-324, 1e-300, 5e-301, 1e-300],
    [1e21, 3e21, 2e21, 2e21],
    [12_345_678_901.234_56, 0.123_456_78, 6_172_839_450.679_008_5, -12_345_678_901.111_103],
    [-0, 0, 0, 0],
    [-1.7e308, 1.7e308, 0, Number.MAX_VALUE],
  ])('of %d and %d the mean is %d and the difference %d', (a, b, middle, between) => {
    expect([mean(a, b), difference(a, b)]).toEqual([middle, between]);
  });

  test.each([
    [44.1385, 44.0505, -0.1994],
    [1.1635, 1.1639, 0.034],
    [100, 101, 1],
    [3, 7, 133.33],
    [-4, -2, -50],
    [2, 2, 0],
    [123_456_789, 123_456_790, 0.000_000_8],
  ])('from %d to %d the change is %d percent', (first, last, percent) => {
    expect(percentChange(first, last)).toBe(percent);
  });
});
