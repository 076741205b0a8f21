/** Tells by how much a series of measurements grows, and whether that matters. */

export interface Trend {
  median: number;
  /** Growth from the first measurement to the last (Theil-Sen estimator), and its 95 % interval. */
  growth: number;
  least: number;
  most: number;
  isFlat: boolean;
}

/** Growth below this share of the median does not matter within one run. */
export const FLAT_SHARE = 0.05;
/** Two-sided 95 % of the normal distribution. */
const Z95 = 1.96;

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/**
 * Returns the trend of at least two measurements at equal distances: the median of the slopes between all pairs, which
 * single peaks do not move. The interval is that of Sen (1968), from the variance of Kendall's statistic. A series is
 * flat if it grows by less than FLAT_SHARE of its median, or if its interval includes zero.
 */
export function trendOf(values: readonly number[]): Trend {
  const n = values.length;
  const slopes = values
    .flatMap((from, i) => values.slice(i + 1).map((to, j) => (to - from) / (j + 1)))
    .toSorted((a, b) => a - b);
  const spread = Z95 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, rank))]! * (n - 1);
  const growth = medianOf(slopes) * (n - 1);
  const least = at(Math.floor((slopes.length - spread) / 2));
  const most = at(Math.ceil((slopes.length + spread) / 2));
  const median = medianOf(values);
  const isFlat = growth < FLAT_SHARE * Math.abs(median) || least <= 0;
  return { median, growth, least, most, isFlat };
}
