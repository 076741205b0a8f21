import { HOUR_MS } from '../time.ts';
import type { Allowance } from './allowance.ts';

/** Smaller changes are corrections of what was counted. */
const NOTICED = { units: 5, share: 0.02 };

type Balance = Pick<Allowance, 'used' | 'left' | 'elsewhere'>;

/**
 * Tells when the allowance itself changed: units were bought, the plan is another one, a month began. And when that is
 * to be looked at again: a balance may have been wrong, or units may have been bought since.
 */
export function createBalanceWatch(startedAt: number) {
  let last: Balance | undefined;
  let changedAt = startedAt;
  /** When an answer came last, of any process as far as what is left shows it. */
  let heardAt = startedAt;
  return {
    /** Whether what is left is other than it was, and other than spending explains. */
    hasJumped(account: Balance, at: number): boolean {
      const before = last;
      last = { used: account.used, left: account.left, elsewhere: account.elsewhere };
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
     * Whether no answer has come for an hour, and for as long as answers had shown the same allowance before: each that
     * shows the same once more is trusted for twice as long, so that little is spent where little is left indeed.
     */
    isInDoubt: (at: number): boolean => at - heardAt >= Math.max(HOUR_MS, heardAt - changedAt),
  };
}

function isJump(before: Balance, after: Balance): boolean {
  if (before.left === null || after.left === null) return before.left !== after.left;
  const whole = before.used + before.left;
  const growth = after.used + after.left - whole;
  const spentElsewhere = Math.max(0, after.elsewhere - before.elsewhere);
  const unexplained = growth > 0 ? growth : Math.max(0, -growth - spentElsewhere);
  const least = Math.max(NOTICED.units, NOTICED.share * whole);
  return after.used < before.used - least || unexplained > least;
}
