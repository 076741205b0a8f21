import { MINUTE_MS, minuteAt } from '../time.ts';

/** How many minutes of spending are compared with the forecast. */
const WINDOW_MINUTES = 10;
/** Spending is a spike above SPIKE_FACTOR times what was expected, plus SPIKE_DEVIATIONS standard deviations. */
const SPIKE_FACTOR = 4;
const SPIKE_DEVIATIONS = 10;

/** Detects when the requests of the last minutes have cost far more than expected. */
export function createSpikeWatch() {
  /** Units by minute. */
  const spent = new Map<number, number>();

  function forget(now: number): void {
    for (const minute of spent.keys()) if (minute <= now - WINDOW_MINUTES) spent.delete(minute);
  }

  return {
    note(at: number, units: number): void {
      const minute = minuteAt(at);
      forget(minute);
      spent.set(minute, (spent.get(minute) ?? 0) + units);
    },
    /** `perMs`: the units that are expected per millisecond. */
    isSpike(at: number, perMs: number): boolean {
      forget(minuteAt(at));
      const units = spent.values().reduce((sum, one) => sum + one, 0);
      const expected = perMs * WINDOW_MINUTES * MINUTE_MS;
      return units > SPIKE_FACTOR * expected + SPIKE_DEVIATIONS * Math.sqrt(expected + 1);
    },
  };
}
