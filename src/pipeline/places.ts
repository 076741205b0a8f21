import { type Budget, isBusy, type Turns, turnOf } from '../graph/budget.ts';
import type { Maybe } from '../maybe.ts';
import type { Clock } from '../time.ts';

/**
 * Places of operations that are under way, from the moment that they are let in until they are answered,
 * be it that they are executed, wait for their turn or wait for the upstream. Where there is none they are
 * refused, before anything is spent. Kept answers need none.
 */
export interface Places {
  /**
   * Calls `begin` now, or in the party's turn where the process is busy; calls `refuse` instead where
   * there is no place, or the turn comes too late to be of use.
   */
  enter<T>(budget: Budget, begin: () => Maybe<T>, refuse: () => T): Maybe<T>;
  underWay(): number;
  /** How many of them wait for their turn to begin. */
  waiting(): number;
}

/** Who has waited longer has mostly given up: what is executed then is of use to nobody. */
const MAX_WAIT_MS = 1500;
/** So few are served all the same: it is the machine that is slow then, not too much that is asked. */
const FEW = 500;

export function createPlaces(turns: Turns, max: number, monotonic: Clock): Places {
  const taken = new Map<string, number>();
  let underWay = 0;
  let waiting = 0;

  /** A party may take as many as it leaves: however many there are, the next one finds a place. */
  function take(party: string): boolean {
    const own = taken.get(party) ?? 0;
    if (own >= max - underWay) return false;
    taken.set(party, own + 1);
    underWay += 1;
    return true;
  }

  function leave(party: string): void {
    const left = taken.get(party)! - 1;
    if (left > 0) taken.set(party, left);
    else taken.delete(party);
    underWay -= 1;
  }

  /** Whoever comes while others wait waits, too, or those that come last would be served first. */
  function inTurn<T>(budget: Budget, begin: () => Maybe<T>, refuse: () => T): Maybe<T> {
    if (!turns.areWaited && !isBusy(turns)) return begin();
    const since = monotonic();
    waiting += 1;
    return turnOf(budget).then(() => {
      waiting -= 1;
      const isLate = monotonic() - since > MAX_WAIT_MS;
      return isLate && waiting >= FEW ? refuse() : begin();
    });
  }

  return {
    enter(budget, begin, refuse) {
      const { party } = budget;
      if (!take(party)) return refuse();
      const end = () => leave(party);
      try {
        const reply = inTurn(budget, begin, refuse);
        if (reply instanceof Promise) reply.then(end, end);
        else end();
        return reply;
      } catch (error) {
        end();
        throw error;
      }
    },
    underWay: () => underWay,
    waiting: () => waiting,
  };
}
