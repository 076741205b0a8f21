import type { Meter } from '../meters.ts';
import { type Clock, DAY_MS } from '../time.ts';

/** What requests have cost lately, in units: what the next one is expected to cost. */
interface Costs {
  /** The most that one of the last answers about a dataset has cost; undefined: nobody knows. */
  known(meter: Meter, dataset: string): number | undefined;
  note(meter: Meter, dataset: string, units: number): void;
}

/** The costs of so many answers are remembered: a higher one is forgotten after that. */
const MOST_KEPT = 10;
/** Then costs are forgotten, so that what was too dear to be asked for is tried again: perhaps it costs less by then. */
const KEPT_MS = DAY_MS;

export function createCosts(monotonic: Clock): Costs {
  const recent = new Map<string, { units: readonly number[]; at: number }>();

  return {
    known(meter, dataset) {
      const found = recent.get(`${meter} ${dataset}`);
      if (!found || monotonic() - found.at >= KEPT_MS) return undefined;
      return Math.max(...found.units);
    },
    note(meter, dataset, units) {
      const name = `${meter} ${dataset}`;
      const before = recent.get(name)?.units ?? [];
      recent.set(name, { units: [...before, units].slice(-MOST_KEPT), at: monotonic() });
    },
  };
}
