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

/** What clients may spend, in days and months of the upstream's time zone. */
interface Budgets {
  /** The same object as before while nothing has changed. `known`: what `look` gave just now. */
  states(payer: Payer, known?: number): readonly BudgetState[];
  /** How many units of a meter the client may still spend; Infinity where it has no budget. */
  left(payer: Payer, meter: Meter): number;
  /**
   * The budget of a meter that has too little left for a request of that cost, or is nearest to it; of several the
   * one that resets last.
   */
  exceeded(payer: Payer, meter: Meter, cost: number): BudgetState | undefined;
  /** What a unit that is taken now is for. */
  purpose(meter: Meter, spending: Spending): Purpose;
}

interface BudgetsOptions {
  spentIn(meter: Meter, counter: CounterId): number;
  /** Looks what has been spent; another number than before where that may have changed. */
  look(): number;
  timezone: string;
  now: Clock;
}

const NONE: readonly BudgetState[] = [];

export function createBudgets({ spentIn, look, timezone, now }: BudgetsOptions): Budgets {
  const shown = new WeakMap<Payer, Shown>();

  const windowOf = ({ window }: Budget) =>
    window === 'DAY' ? formatDay(dayAt(now(), timezone)) : monthAt(now(), timezone);
  const resetOf = ({ window }: Budget) =>
    window === 'DAY'
      ? startOf(dayAt(now(), timezone) + 1, timezone)
      : startOfNextMonth(now(), timezone);

  function read({ name, budgets }: Payer, seen: number): Shown {
    const from = now();
    const windows = budgets.map((budget) => ({ client: name, window: windowOf(budget) }));
    const current = budgets.map((budget, i) => {
      const used = spentIn(budget.meter, windows[i]!);
      return { ...budget, used, resetsAt: resetOf(budget) };
    });
    const until = Math.min(...current.map(({ resetsAt }) => resetsAt));
    return { states: current, windows, from, until, seen };
  }

  /** Asked for every answer: mostly nothing has been spent since the last one. */
  function states(payer: Payer, known?: number): readonly BudgetState[] {
    if (payer.budgets.length === 0) return NONE;
    const seen = known ?? look();
    const before = shown.get(payer);
    if (before && isCurrent(before, seen)) return before.states;
    const current = read(payer, seen);
    shown.set(payer, current);
    return current.states;
  }

  function isCurrent(before: Shown, seen: number): boolean {
    const at = now();
    if (at < before.from || at >= before.until) return false;
    if (seen === before.seen) return true;
    before.seen = seen;
    const { windows } = before;
    return before.states.every(({ meter, used }, i) => spentIn(meter, windows[i]!) === used);
  }

  const ofMeter = (payer: Payer, meter: Meter) =>
    states(payer).filter((budget) => budget.meter === meter);

  return {
    states,
    left: (payer, meter) => Math.max(0, Math.min(...ofMeter(payer, meter).map(leftOf))),
    exceeded: (payer, meter, cost) => ofMeter(payer, meter).toSorted(inOrderOfNeed(cost))[0],
    purpose(meter, { payer, operation, dataset }) {
      const own = payer?.budgets.filter((budget) => budget.meter === meter) ?? [];
      const budgets = own.map((one) => ({ window: windowOf(one), limit: one.limit }));
      const hour = hourAt(now());
      return { client: payer?.name ?? '', operation, dataset, hour, budgets };
    },
  };
}

const leftOf = ({ limit, used }: BudgetState) => limit - used;

/** Of those with too little left the one that lasts longest comes first: nothing is spent before it resets. */
function inOrderOfNeed(cost: number) {
  const beyond = (budget: BudgetState) => Math.max(0, leftOf(budget) - cost + 1);
  return (a: BudgetState, b: BudgetState) => beyond(a) - beyond(b) || b.resetsAt - a.resetsAt;
}

/** Budgets of a client never change: a changed file makes it another one. */
interface Shown {
  states: readonly BudgetState[];
  /** What is counted for each. */
  windows: readonly CounterId[];
  /** When it was read: the clock may be set back. */
  from: number;
  /** When the first window ends. */
  until: number;
  /** What `look` gave when it was last known to be right. */
  seen: number;
}
