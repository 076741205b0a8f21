import type { Clock } from '../time.ts';

/**
 * A clock that runs `stretch` times slower than the monotonic one. What is cached lives on it, so that another
 * stretch acts at once, and without a jump, on everything that is there.
 */
export function createAgingClock(monotonic: Clock) {
  let since = monotonic();
  let base = since;
  let stretch = 1;
  const at = (now: number): number => base + (now - since) / stretch;
  return {
    at,
    stretch: () => stretch,
    setStretch(value: number, now: number): void {
      base = at(now);
      since = now;
      stretch = value;
    },
  };
}
