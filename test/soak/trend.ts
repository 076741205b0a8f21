/** Whether a series of measurements grows, said in numbers. */

export interface Trend {
  median: number;
  /** By how much it grows from the first measurement to the last (Theil and Sen), and the 95 % interval of that. */
  growth: number;
  least: number;
  most: number;
  isFlat: boolean;
}

/** Growth below this share of the median is none that matters within one run. */
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
 * The trend of measurements at equal distances, of which there must be two: the median of the slopes between all
 * pairs, which single peaks do not move. The interval is that of Sen (1968), from the variance of Kendall's statistic.
 * Flat is what grows by less than FLAT_SHARE of its median, or where the interval has no growth, too.
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
