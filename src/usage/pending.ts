import { type Account, noteEnd } from '../shared/account.ts';
import type { Applied, Change, EndedFor, Purpose } from '../shared/units.ts';
import { costOf, groupAlike, isServed, type Priced, type Taker, wantedBy } from './takers.ts';

/** The end of a request, and when it was noticed here: by the wall clock, in milliseconds since 1970. */
interface PendingEnd extends EndedFor {
  noticedAt: number;
}

/** What a change of an account says, while it is being gathered and while it is in flight. */
export interface PendingChange {
  /** Requests to pay for; grouped by purpose and cost once the change is in flight. */
  takers: Taker[][];
  /** Requests paid for while the store could not be used. */
  spent: Priced[];
  ended: PendingEnd[];
}

export const emptyChange = (): PendingChange => ({ takers: [], spent: [], ended: [] });

export const isEmpty = ({ takers, spent, ended }: PendingChange) =>
  takers.length === 0 && spent.length === 0 && ended.length === 0;

/** Returns the same, with takers grouped by purpose and cost. */
export const grouped = ({ takers, ...others }: PendingChange): PendingChange => ({
  ...others,
  takers: groupAlike(takers.flat()),
});

/** Returns what a grouped change tells the store. */
export function changeOf({
  takers,
  spent,
  ended,
}: PendingChange): Pick<Change, 'take' | 'spent' | 'ended'> {
  return {
    take: takers.map(wantedBy),
    spent: groupAlike(spent).map(wantedBy),
    ended: ended.map(({ noticedAt: _at, ...one }) => one),
  };
}

/** Returns the units spent, or given back (negative), that the store does not know of. */
export function unitsIn({
  takers,
  spent,
  ended,
}: PendingChange): { purpose: Purpose; units: number }[] {
  const served = takers.flat().filter(isServed);
  return [
    ...[...served, ...spent].map(({ purpose, cost }) => ({ purpose, units: cost })),
    ...ended.map(({ purpose, units, reserved }) => ({ purpose, units: units - reserved })),
  ];
}

/** Returns the numbers of the requests that a change has paid for, for each group of takers. */
export function numbersOf({ taken, account }: Applied): number[][] {
  let next = account.lastSent - taken.reduce((sum, requests) => sum + requests, 0);
  return taken.map((requests) => Array.from({ length: requests }, () => (next += 1)));
}

/**
 * Returns an account as it will be once the pending changes are stored, too. As long as they are not, a meter that they
 * close stays closed until the same time, so that it is probed even if the store is away for longer.
 */
export function withUnstored(account: Account, pending: readonly PendingChange[]): Account {
  const view = { ...account, timeouts: { ...account.timeouts } };
  for (const { takers, spent, ended } of pending) {
    for (const one of ended) noteEnd(view, one, one.noticedAt);
    view.used += costOf(spent) + costOf(takers.flat().filter(isServed));
  }
  return view;
}
