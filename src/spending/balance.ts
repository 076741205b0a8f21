import type { Allowance } from './allowance.ts';

/** Smaller changes are corrections of what was counted. */
const NOTICED = { units: 5, share: 0.02 };

/** Tells when the allowance itself changed: units were bought, the plan is another one, a month began. */
export function createBalanceWatch() {
  let last: { whole: number; used: number; elsewhere: number } | undefined;
  return {
    /** Whether what is left is other than spending explains. */
    hasJumped({ used, left, elsewhere }: Allowance): boolean {
      const before = last;
      last = left === null ? undefined : { whole: used + left, used, elsewhere };
      if (!before || !last) return (before === undefined) !== (last === undefined);
      const growth = last.whole - before.whole;
      const spentElsewhere = Math.max(0, last.elsewhere - before.elsewhere);
      const unexplained = growth > 0 ? growth : Math.max(0, -growth - spentElsewhere);
      const least = Math.max(NOTICED.units, NOTICED.share * before.whole);
      return last.used < before.used - least || unexplained > least;
    },
  };
}
