import { MINUTE_MS, minuteAt } from '../time.ts';

/** Spending is looked at over so many minutes. */
const MINUTES = 10;
/** Above so many times what was expected, and what chance explains, it is a spike. */
const SPIKE = 4;
const CHANCE = 10;

/** Tells when far more is spent than expected, by the requests of the last minutes. */
export function createSpikeWatch() {
  /** By minute. */
  const spent = new Map<number, number>();

  function forget(now: number): void {
    for (const minute of spent.keys()) if (minute <= now - MINUTES) spent.delete(minute);
  }

  return {
    note(at: number, units: number): void {
      const minute = minuteAt(at);
      forget(minute);
      spent.set(minute, (spent.get(minute) ?? 0) + units);
    },
    /** `perMs`: the units that are expected in a millisecond. */
    isSpike(at: number, perMs: number): boolean {
      forget(minuteAt(at));
      const units = spent.values().reduce((sum, one) => sum + one, 0);
      const expected = perMs * MINUTES * MINUTE_MS;
      return units > SPIKE * expected + CHANCE * Math.sqrt(expected + 1);
    },
  };
}
