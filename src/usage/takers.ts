import { affordable, unspent } from '../shared/account.ts';
import type { Applied, Purpose, Wanted } from '../shared/units.ts';

/** Who waits for units, and what they are told. */

/** The number that a request leaves with. */
export interface Taken {
  sentAs: number;
}

/**
 * The allowance is used up; or there is a limit, and nobody can tell whether it would be passed; or a
 * budget of the client is used up.
 */
export type Refused = 'EXHAUSTED' | 'UNCERTAIN' | 'OVER_BUDGET';

/** A request, and what it is expected to cost. */
export interface Priced {
  purpose: Purpose;
  cost: number;
}

/** What they cost together, in units. */
export const costOf = (all: readonly Priced[]): number =>
  all.reduce((sum, { cost }) => sum + cost, 0);

/** Somebody who wants to send one. */
export interface Taker extends Priced {
  answer: Taken | Refused | undefined;
  promise: Promise<Taken | Refused>;
  resolve(answer: Taken | Refused): void;
}

/** Why a change took nothing: where the meter itself has enough units, only a budget of the client can have refused. */
export function refusalOf(
  { purpose, cost }: Taker,
  { account }: Applied,
  limit = Infinity,
): Refused {
  const isOpen = account.closedUntil <= 0 && affordable(account, limit) > 0;
  const hasUnits = isOpen && unspent(account, limit) >= cost;
  return hasUnits && purpose.budgets.length > 0 ? 'OVER_BUDGET' : 'EXHAUSTED';
}

export const createTaker = (priced: Priced): Taker => ({
  ...priced,
  answer: undefined,
  ...Promise.withResolvers<Taken | Refused>(),
});
export const isTaken = (answer: Taken | Refused | undefined): answer is Taken =>
  typeof answer === 'object';
export const isWaiting = ({ answer }: Taker) => answer === undefined;
export const isServed = ({ answer }: Taker) => isTaken(answer);

/** Those who want as many units for the same share one line of a change. */
export function groupAlike<T extends Priced>(all: readonly T[]): T[][] {
  const groups = Map.groupBy(all, ({ purpose, cost }) => `${cost} ${nameOf(purpose)}`);
  return [...groups.values()];
}

export const wantedBy = (group: readonly Priced[]): Wanted => ({
  purpose: group[0]!.purpose,
  cost: group[0]!.cost,
  requests: group.length,
});

/** With the budgets: within an hour another day may begin, or the file of clients may change. */
const nameOf = ({ client, operation, dataset, hour, budgets }: Purpose) => {
  const bounds = budgets.map(({ window, limit }) => `${window} ${limit}`);
  return [client, operation, dataset, hour, ...bounds].join('\n');
};
