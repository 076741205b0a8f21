import { HOUR_MS } from '../time.ts';
import type { Allowance } from './allowance.ts';

/** Minimum change that counts, in units and as a share of the allowance: smaller ones are corrections of the count. */
const MIN_CHANGE = { units: 5, share: 0.02 };

type Balance = Pick<Allowance, 'used' | 'left' | 'elsewhere'>;

/**
 * Detects when the allowance itself has changed: units were bought, the plan was changed, a month began. Also tells
 * when to check it again: a balance may have been wrong, or units may have been bought since.
 */
export function createBalanceWatch(startedAt: number) {
  let last: Balance | undefined;
  let changedAt = startedAt;
  /** When the last answer came, to any process as far as a change of what is left shows it. */
  let heardAt = startedAt;
  return {
    /** Notes what is left; returns whether it has changed since the last call by more than spending explains. */
    noteAccount(account: Balance, at: number): boolean {
      const before = last;
      last = withoutInFlight(account, before);
      if (before?.left !== last.left) heardAt = at;
      const hasJumped = before !== undefined && isJump(before, last);
      if (hasJumped) changedAt = at;
      return hasJumped;
    },
    noteAnswer(at: number): void {
      heardAt = at;
    },
    wasHeard: (at: number): boolean => at - heardAt < HOUR_MS,
    /**
     * Whether no answer has come for an hour, nor for as long as answers had shown the same allowance by then: each
     * further answer that shows it is trusted for twice as long, so that little is spent if little is left indeed.
     */
    isInDoubt: (at: number): boolean => at - heardAt >= Math.max(HOUR_MS, heardAt - changedAt),
  };
}

/**
 * Requests in flight count as used already, but no balance shows them yet. As long as no more is left than before,
 * nothing else can have made the sum grow.
 */
function withoutInFlight({ used, left, elsewhere }: Balance, before: Balance | undefined): Balance {
  if (!before || before.left === null || left === null || left > before.left)
    return { used, left, elsewhere };
  return { used: Math.min(used, before.used + before.left - left), left, elsewhere };
}

function isJump(before: Balance, after: Balance): boolean {
  if (before.left === null || after.left === null) return before.left !== after.left;
  const whole = before.used + before.left;
  const growth = after.used + after.left - whole;
  const spentElsewhere = Math.max(0, after.elsewhere - before.elsewhere);
  const unexplained = growth > 0 ? growth : Math.max(0, -growth - spentElsewhere);
  const threshold = Math.max(MIN_CHANGE.units, MIN_CHANGE.share * whole);
  return after.used < before.used - threshold || unexplained > threshold;
}
