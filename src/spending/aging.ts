import type { Clock } from '../time.ts';

/** How the clock went is remembered by points of both clocks, so far apart, for five weeks. */
const POINT_MS = 600_000;
const MAX_POINTS = 5040;

interface Point {
  real: number;
  aging: number;
}

/**
 * A clock that runs `stretch` times slower than the monotonic one. What is cached lives on it, so that another
 * stretch acts at once, and without a jump, on everything that is there.
 */
export function createAgingClock(monotonic: Clock) {
  let last: Point = { real: monotonic(), aging: monotonic() };
  let stretch = 1;
  const points: Point[] = [last];
  const at = (real: number): number => last.aging + (real - last.real) / stretch;

  /** The last point that is not after an instant of this clock, or the first of all. */
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
    /** When this clock showed that. What is older than it counts as if the stretch had always been this one. */
    realTimeOf(aging: number): number {
      const first = points[0]!;
      if (aging <= first.aging) return first.real - (first.aging - aging) * stretch;
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
