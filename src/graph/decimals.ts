/**
 * Decimal arithmetic on binary numbers: 1.2 - 1.1 is 0.1, not 0.09999999999999987. Each result is the number nearest to
 * the exact decimal. Numbers with too many digits to tell their decimals from binary noise are computed as they are.
 */

/** Two numbers as whole multiples of the same power of ten. */
interface Scaled {
  first: number;
  last: number;
  /** How many of these multiples make 1. */
  scale: number;
}

/** Below this bound sums and differences of two whole numbers are exact, and so is a hundred times a small one. */
const MAX_EXACT = 2 ** 51;
/** Maximum number of decimals: powers of ten are exact up to 1e22. */
const MAX_DECIMALS = 22;

/** How many decimals the shortest text of a number has: 2 for 1.25, 8 for 1.5e-7. */
function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const point = digits.indexOf('.');
  const written = point < 0 ? 0 : digits.length - point - 1;
  return Math.max(0, written - Number(exponent));
}

/** Returns undefined if a number has too many digits. */
function scaled(first: number, last: number): Scaled | undefined {
  const decimals = Math.max(decimalsOf(first), decimalsOf(last));
  if (decimals > MAX_DECIMALS) return undefined;
  const scale = 10 ** decimals;
  const multiples = { first: Math.round(first * scale), last: Math.round(last * scale), scale };
  const isExact = [multiples.first, multiples.last].every((one) => Math.abs(one) < MAX_EXACT);
  return isExact ? multiples : undefined;
}

/** Turns negative zero into zero, and clamps what is too large for a number to the largest one. */
function plain(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value)) + 0;
}

/** last - first, with at most as many decimals as the one that has more. */
export function difference(first: number, last: number): number {
  const whole = scaled(first, last);
  return plain(whole ? (whole.last - whole.first) / whole.scale : last - first);
}

/** (first + last) / 2, with at most one decimal more than the one that has more. */
export function mean(first: number, last: number): number {
  const whole = scaled(first, last);
  return plain(whole ? (whole.first + whole.last) / (2 * whole.scale) : first / 2 + last / 2);
}

/** The mean of one or more numbers. */
export function meanOf(values: readonly number[]): number {
  const decimals = values.reduce((max, value) => Math.max(max, decimalsOf(value)), 0);
  const scale = 10 ** decimals;
  let [sum, magnitude] = [0, 0];
  for (const value of values) {
    const whole = Math.round(value * scale);
    sum += whole;
    magnitude += Math.abs(whole);
  }
  if (decimals <= MAX_DECIMALS && magnitude < MAX_EXACT)
    return plain(sum / (scale * values.length));
  return plain(values.reduce((all, value) => all + value / values.length, 0));
}

/** Number of significant digits that the noise of a few binary operations does not reach. */
const DIGITS = 15;

/** Returns a product or quotient without the noise of binary arithmetic. */
export function rounded(value: number): number {
  return plain(Number(value.toPrecision(DIGITS)));
}

const MIN_PERCENT_DECIMALS = 2;

/**
 * The change from first to last in percent of first, which must not be 0. It has two decimals fewer than first has
 * digits (more would mean nothing), but at least two: four decimals for 44.1385. If last has more decimals than first,
 * first is taken to have as many, since trailing zeros may have been dropped: beside 44.1385, 44.1 counts as 44.1000.
 */
export function percentChange(first: number, last: number): number {
  const whole = scaled(first, last);
  if (!whole) return plain(((last - first) / first) * 100);
  const percent = ((whole.last - whole.first) * 100) / whole.first;
  const digits = String(Math.abs(whole.first)).length;
  return plain(Number(percent.toFixed(Math.max(MIN_PERCENT_DECIMALS, digits - 2))));
}
