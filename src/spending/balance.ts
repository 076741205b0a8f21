import type { Allowance } from './allowance.ts';

/** Smaller changes are corrections of what was counted. */
const NOTICED = { units: 5, share: 0.02 };

type Balance = Pick<Allowance, 'used' | 'left' | 'elsewhere'>;

/** Tells when the allowance itself changed: units were bought, the plan is another one, a month began. */
export function createBalanceWatch() {
  let last: Balance | undefined;
  return {
    /** Whether what is left is other than it was, and other than spending explains. */
    hasJumped(account: Balance): boolean {
      const before = last;
      last = { used: account.used, left: account.left, elsewhere: account.elsewhere };
      return before !== undefined && isJump(before, last);
    },
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
