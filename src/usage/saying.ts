import { type Account, noteEnd } from '../shared/account.ts';
import type { Applied, Change, EndedFor, Purpose, Wanted } from '../shared/units.ts';
import { groupByPurpose, isServed, type Taker, wantedBy } from './takers.ts';

/** What a change of an account will say, while it is being gathered and while it is on its way. */
export interface Saying {
  /** Those who want the same together, once it is on its way. */
  takers: Taker[][];
  /** Units spent while the store could not be used, one line each. */
  spent: { purpose: Purpose }[];
  ended: EndedFor[];
}

export const sayNothing = (): Saying => ({ takers: [], spent: [], ended: [] });

export const isNothing = ({ takers, spent, ended }: Saying) =>
  takers.length === 0 && spent.length === 0 && ended.length === 0;

/** The same, with those together who want the same. */
export const grouped = ({ takers, ...others }: Saying): Saying => ({
  ...others,
  takers: groupByPurpose(takers.flat()),
});

/** What is said of a grouped one. */
export function changeOf({
  takers,
  spent,
  ended,
}: Saying): Pick<Change, 'take' | 'spent' | 'ended'> {
  return { take: takers.map(wantedBy), spent: groupByPurpose(spent).map(wantedBy), ended };
}

/** Units that have been spent, or given back (negative), and that the store does not know of. */
export function unitsIn({ takers, spent, ended }: Saying): Wanted[] {
  const served = takers.flat().filter(isServed);
  return [
    ...[...served, ...spent].map(({ purpose }) => ({ purpose, units: 1 })),
    ...ended.map(({ purpose, units }) => ({ purpose, units: units - 1 })),
  ];
}

/** The numbers of the units that a change has taken, for each group of takers. */
export function numbersOf({ taken, account }: Applied): number[][] {
  let next = account.lastSent - taken.reduce((sum, units) => sum + units, 0);
  return taken.map((units) => Array.from({ length: units }, () => (next += 1)));
}

/** An account as it will be once that is said, too. */
export function withUnsaid(account: Account, sayings: readonly Saying[], now: number): Account {
  const view = { ...account, timeouts: { ...account.timeouts } };
  for (const { takers, spent, ended } of sayings) {
    for (const one of ended) noteEnd(view, one, now);
    view.used += spent.length + takers.flat().filter(isServed).length;
  }
  return view;
}
