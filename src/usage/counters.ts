import type { CounterId, Purpose } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import type { Priced } from './takers.ts';
import { isNothing, type PendingChange, unitsIn } from './pending.ts';

/** What clients have spent in the windows of one account, as this process knows it. */
interface Counters {
  spentIn(counter: CounterId): number;
  /** Whether a request would pass a budget of who pays for it. */
  isOverBudget(request: Priced): boolean;
  /** The store has said something new. */
  forget(): void;
}

interface CountersOptions {
  /** Undefined where that cannot be told. */
  read(counter: CounterId): number | undefined;
  /** What has not been stored yet. */
  unsaid(): readonly PendingChange[];
  monotonic: Clock;
}

/** What was read is used for so long before it is read again, since other processes spend, too. */
export const READ_AGAIN_MS = 50;

export function createCounters({ read, unsaid, monotonic }: CountersOptions): Counters {
  /** As it was read last. */
  const known = new Map<string, { used: number; at: number; version: number }>();
  let version = 0;

  function stored(counter: CounterId): number {
    const name = `${counter.client} ${counter.window}`;
    const found = known.get(name);
    if (found?.version === version && monotonic() - found.at < READ_AGAIN_MS) return found.used;
    const used = read(counter) ?? found?.used ?? 0;
    known.set(name, { used, at: monotonic(), version });
    return used;
  }

  /** Asked for every answer: mostly all has been said. */
  function spentIn(counter: CounterId): number {
    let used = stored(counter);
    for (const pending of unsaid()) if (!isNothing(pending)) used += countedIn(pending, counter);
    return used;
  }

  return {
    spentIn,
    isOverBudget: ({ purpose: { client, budgets }, cost }) =>
      budgets.some(({ window, limit }) => spentIn({ client, window }) + cost > limit),
    forget: () => void (version += 1),
  };
}

function countedIn(pending: PendingChange, { client, window }: CounterId): number {
  const isCounted = ({ purpose }: { purpose: Purpose }) =>
    purpose.client === client && purpose.budgets.some((budget) => budget.window === window);
  const units = unitsIn(pending).filter(isCounted);
  return units.reduce((sum, one) => sum + one.units, 0);
}
