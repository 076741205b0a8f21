import type { CounterId, Purpose } from '../shared/units.ts';
import type { Meter } from '../meters.ts';
import {
  type Clock,
  dayAt,
  formatDay,
  hourAt,
  monthAt,
  startOf,
  startOfNextMonth,
} from '../time.ts';
import type { Budget, BudgetState, Payer, Spending } from './units.ts';

/** What clients may spend, by days and months of the upstream's time zone. */
interface Budgets {
  /** Returns the same object as before while nothing has changed. `knownVersion`: what `readVersion` just returned. */
  states(payer: Payer, knownVersion?: number): readonly BudgetState[];
  /** Returns how many units of a meter the client may still spend; Infinity if it has no budget. */
  left(payer: Payer, meter: Meter): number;
  /**
   * Returns the budget of a meter that leaves too little for a request of that cost, or is nearest to it; of several,
   * the one that resets last.
   */
  exceeded(payer: Payer, meter: Meter, cost: number): BudgetState | undefined;
  /** Returns the purpose of a unit that is taken now. */
  purpose(meter: Meter, spending: Spending): Purpose;
}

interface BudgetsOptions {
  spentIn(meter: Meter, counter: CounterId): number;
  /** Reads what has been spent; returns another number than before if that may have changed. */
  readVersion(): number;
  timezone: string;
  now: Clock;
}

const NONE: readonly BudgetState[] = [];

export function createBudgets({ spentIn, readVersion, timezone, now }: BudgetsOptions): Budgets {
  const shown = new WeakMap<Payer, Shown>();

  const windowOf = ({ window }: Budget, at: number) =>
    window === 'DAY' ? formatDay(dayAt(at, timezone)) : monthAt(at, timezone);
  const resetOf = ({ window }: Budget, at: number) =>
    window === 'DAY' ? startOf(dayAt(at, timezone) + 1, timezone) : startOfNextMonth(at, timezone);

  function read({ name, budgets }: Payer, version: number): Shown {
    const from = now();
    const windows = budgets.map((budget) => ({ client: name, window: windowOf(budget, from) }));
    const current = budgets.map((budget, i) => {
      const used = spentIn(budget.meter, windows[i]!);
      return { ...budget, used, resetsAt: resetOf(budget, from) };
    });
    const until = Math.min(...current.map(({ resetsAt }) => resetsAt));
    return { states: current, windows, from, until, version };
  }

  /** On the hot path: called for every response, usually with nothing spent since the last one. */
  function states(payer: Payer, knownVersion?: number): readonly BudgetState[] {
    if (payer.budgets.length === 0) return NONE;
    const version = knownVersion ?? readVersion();
    const before = shown.get(payer);
    if (before && isCurrent(before, version)) return before.states;
    const current = read(payer, version);
    shown.set(payer, current);
    return current.states;
  }

  function isCurrent(before: Shown, version: number): boolean {
    const at = now();
    if (at < before.from || at >= before.until) return false;
    if (version === before.version) return true;
    before.version = version;
    const { windows } = before;
    return before.states.every(({ meter, used }, i) => spentIn(meter, windows[i]!) === used);
  }

  const ofMeter = (payer: Payer, meter: Meter) =>
    states(payer).filter((budget) => budget.meter === meter);

  return {
    states,
    left: (payer, meter) => Math.max(0, Math.min(...ofMeter(payer, meter).map(leftOf))),
    exceeded: (payer, meter, cost) => ofMeter(payer, meter).toSorted(byUnitsLeft(cost))[0],
    purpose(meter, { payer, operation, dataset }) {
      const at = now();
      const own = payer?.budgets.filter((budget) => budget.meter === meter) ?? [];
      const budgets = own.map((one) => ({ window: windowOf(one, at), limit: one.limit }));
      return { client: payer?.name ?? '', operation, dataset, hour: hourAt(at), budgets };
    },
  };
}

const leftOf = ({ limit, used }: BudgetState) => limit - used;

/**
 * Orders budgets by what they leave beyond that cost. Of those that leave too little, the one that resets last comes
 * first: nothing can be spent before that.
 */
function byUnitsLeft(cost: number) {
  const beyond = (budget: BudgetState) => Math.max(0, leftOf(budget) - cost + 1);
  return (a: BudgetState, b: BudgetState) => beyond(a) - beyond(b) || b.resetsAt - a.resetsAt;
}

/** What was shown last. The budgets of a client never change: a changed clients file makes a new payer of it. */
interface Shown {
  states: readonly BudgetState[];
  /** The counter of each budget. */
  windows: readonly CounterId[];
  /** When it was read: the clock may be set back. */
  from: number;
  /** When the first window ends. */
  until: number;
  /** What `readVersion` returned when the states were last known to be right. */
  version: number;
}
