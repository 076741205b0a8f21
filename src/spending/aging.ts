import type { Clock } from '../time.ts';

/** The clock's history is kept as points of both clocks, at least POINT_MS apart, for at least five weeks. */
const POINT_MS = 600_000;
const MAX_POINTS = 5040;

interface Point {
  real: number;
  aging: number;
}

/**
 * Creates a clock that runs `stretch` times slower than the monotonic one. Cached data age by it, so that another
 * stretch acts at once, and without a jump, on everything that is cached.
 */
export function createAgingClock(monotonic: Clock) {
  let last: Point = { real: monotonic(), aging: monotonic() };
  let stretch = 1;
  const points: Point[] = [last];
  const at = (real: number): number => last.aging + (real - last.real) / stretch;

  /** Returns the index of the last point at or before an instant of this clock, or of the first point. */
  function pointBefore(aging: number): number {
    let low = 0;
    let high = points.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (points[middle]!.aging <= aging) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    at,
    stretch: () => stretch,
    setStretch(value: number, now: number): void {
      last = { real: now, aging: at(now) };
      stretch = value;
      if (now - points.at(-1)!.real >= POINT_MS) points.push(last);
      if (points.length > MAX_POINTS) points.shift();
    },
    /** Returns when this clock showed `aging`. Before its history, the first stretch in it is assumed. */
    realTimeOf(aging: number): number {
      const i = pointBefore(aging);
      const before = points[i]!;
      const after = points[i + 1] ?? last;
      if (after.aging <= before.aging || aging >= last.aging)
        return last.real + (aging - last.aging) * stretch;
      const share = (aging - before.aging) / (after.aging - before.aging);
      return before.real + share * (after.real - before.real);
    },
  };
}
