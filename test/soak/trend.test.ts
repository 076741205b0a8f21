import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDraw } from '../bench/economy-random.ts';
import { FLAT_SHARE, medianOf, trendOf } from './trend.ts';

/** The verdict of `npm run soak` on a series of measurements. */

const series = (length: number, valueAt: (i: number) => number) =>
  Array.from({ length }, (_, i) => valueAt(i));
const LENGTH = 48;

test('a straight line grows by what it rises', () => {
  const line = fc.record({
    start: fc.integer({ min: 0, max: 1e6 }),
    step: fc.integer({ min: -1000, max: 1000 }),
  });
  fc.assert(
    fc.property(line, ({ start, step }) => {
      const { growth, least, most } = trendOf(series(LENGTH, (i) => start + step * i));
      const rise = step * (LENGTH - 1);
      expect([growth, least, most]).toEqual([rise, rise, rise]);
    }),
  );
});

test('a leak of a fifth is detected through noise, peaks and a sawtooth', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const draw = createDraw(seed);
      const noise = (i: number) => 5 * draw.number() + (i % 6) + (draw.chance(0.05) ? 300 : 0);
      expect(trendOf(series(LENGTH, (i) => 100 + (20 * i) / LENGTH + noise(i))).isFlat).toBe(false);
    }),
  );
});

test('a series that only fluctuates, falls, or grows by less than the share is flat', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.double({ min: -1, max: FLAT_SHARE / 2, noNaN: true }),
      (seed, share) => {
        const draw = createDraw(seed);
        const values = series(LENGTH, (i) => 100 + (share * 100 * i) / LENGTH + draw.number());
        expect(trendOf(values).isFlat).toBe(true);
      },
    ),
  );
});

test('the median lies in the middle', () => {
  expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3])]).toEqual([2, 2.5]);
});
