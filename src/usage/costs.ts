import type { Meter } from '../meters.ts';
import { type Clock, DAY_MS } from '../time.ts';

/** What requests have cost lately, in units: that is what the next one is expected to cost. */
interface Costs {
  /** Returns the highest cost of the last answers about a dataset; undefined if it is unknown. */
  known(meter: Meter, dataset: string): number | undefined;
  note(meter: Meter, dataset: string, units: number): void;
}

/** How many costs are remembered for each dataset: a higher one is forgotten after that many answers. */
const MAX_KEPT = 10;
/** How long costs are remembered without a new one: what was too expensive is tried again, and may cost less. */
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
      recent.set(name, { units: [...before, units].slice(-MAX_KEPT), at: monotonic() });
    },
  };
}
