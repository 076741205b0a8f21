import type { CounterId, Purpose } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import type { Priced } from './takers.ts';
import { isEmpty, type PendingChange, unitsIn } from './pending.ts';

/** What clients have spent in the windows of one account, as far as this process knows. */
interface Counters {
  spentIn(counter: CounterId): number;
  /** Whether a request would exceed a budget of the client that pays for it. */
  isOverBudget(request: Priced): boolean;
  /** Forgets what was read: the store has said something new. */
  forget(): void;
}

interface CountersOptions {
  /** Reads a counter from the store; undefined if it is unknown. */
  read(counter: CounterId): number | undefined;
  /** Changes that are not stored yet. */
  unstored(): readonly PendingChange[];
  monotonic: Clock;
}

/** How long a value is used before it is read again, since other processes spend, too. */
export const READ_AGAIN_MS = 50;
/** How many values are remembered: each client has another one every day. */
const MAX_KNOWN = 10_000;

export function createCounters({ read, unstored, monotonic }: CountersOptions): Counters {
  /** The values read last. */
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

  /** On the hot path; usually all changes are stored already. */
  function spentIn(counter: CounterId): number {
    let used = stored(counter);
    for (const pending of unstored()) if (!isEmpty(pending)) used += countedIn(pending, counter);
    return used;
  }

  return {
    spentIn,
    isOverBudget: ({ purpose: { client, budgets }, cost }) =>
      budgets.some(({ window, limit }) => spentIn({ client, window }) + cost > limit),
    forget() {
      version += 1;
      if (known.size > MAX_KNOWN) known.clear();
    },
  };
}

function countedIn(pending: PendingChange, { client, window }: CounterId): number {
  const isCounted = ({ purpose }: { purpose: Purpose }) =>
    purpose.client === client && purpose.budgets.some((budget) => budget.window === window);
  const units = unitsIn(pending).filter(isCounted);
  return units.reduce((sum, one) => sum + one.units, 0);
}
