import type { Governor } from '../../src/spending/governor.ts';
import type { SpendingHistory } from '../../src/spending/rows.ts';
import { createGovernor } from '../../src/spending/governor.ts';
import { createMemoryHistory } from '../spending/memory-history.ts';
import type { Outcome } from './month-cache.ts';
import { replay } from './month-cache.ts';
import { DAY, HOUR } from './month-demand.ts';
import type { World } from './month-world.ts';

export interface Governed extends Outcome {
  /** The stretch at the start of each hour. */
  stretches: readonly number[];
}

/** Runs a month with the real governor, whose clocks follow the questions. */
export function runGovernor(
  world: World,
  allowance: number,
  history: SpendingHistory = createMemoryHistory(),
): Governed {
  let now = world.start;
  const spent = { used: 0, elsewhere: 0, spare: 0, isStated: true };
  const governor = createGovernor({
    meter: 'credits',
    spending: 'even',
    timezone: 'UTC',
    now: () => now,
    monotonic: () => now - world.start,
    allowance: () => ({ ...spent, left: allowance - spent.used - spent.elsewhere }),
    history,
  });
  const stretches: number[] = [];

  /** Records the stretch at every full hour on the way. */
  function advanceTo(at: number): void {
    for (let next = hourOf(stretches); next <= at && next < world.end; next = hourOf(stretches)) {
      now = next;
      stretches.push(governor.stretch());
    }
    now = at;
  }
  const hourOf = ({ length }: readonly number[]): number => world.start + length * HOUR;

  const outcome = replay(world, allowance, {
    advanceTo,
    agingTime: governor.now,
    stretch: governor.stretch,
    maySpend: (isRefresh) => !isRefresh || governor.mayRefresh(),
    noteSpent(key, lifetimeMs, waitedMs) {
      spent.used += 1;
      noteAsNormal(governor, key, lifetimeMs, waitedMs);
    },
    noteElsewhere: () => void (spent.elsewhere += 1),
  });
  return { ...outcome, stretches };
}

const noteAsNormal = (
  governor: Governor,
  key: string,
  lifetimeMs: number,
  waitedMs: number | undefined,
): void => governor.noteRequest({ key, lifetimeMs, waitedMs, units: 1, priority: 'NORMAL' });

/** How long after a spike it may still change the stretch suddenly. */
const AFTER_SPIKE = 4 * HOUR;

/** Returns the largest factor by which the stretch changed in an hour, on the first day and later, spike excluded. */
export function largestChanges({ start, spike }: World, stretches: readonly number[]) {
  const largest = { firstDay: 1, later: 1 };
  for (const [i, stretch] of stretches.entries()) {
    const at = start + i * HOUR;
    if (at > spike.from && at <= spike.until + AFTER_SPIKE) continue;
    const factor = stretch / (stretches[i - 1] ?? stretch);
    const when = at <= start + DAY ? 'firstDay' : 'later';
    largest[when] = Math.max(largest[when], factor, 1 / factor);
  }
  return largest;
}
