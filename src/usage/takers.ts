import { affordable } from '../shared/account.ts';
import type { Applied, Purpose, Wanted } from '../shared/units.ts';

/** Who waits for a unit, and what they are told. */

/** The number that a request leaves with. */
export interface Taken {
  sentAs: number;
}

/**
 * The allowance is used up; or there is a limit, and nobody can tell whether it would be passed; or a
 * budget of the client is used up.
 */
export type Refused = 'EXHAUSTED' | 'UNCERTAIN' | 'OVER_BUDGET';

/** Somebody who wants a unit. */
export interface Taker {
  purpose: Purpose;
  answer: Taken | Refused | undefined;
  promise: Promise<Taken | Refused>;
  resolve(answer: Taken | Refused): void;
}

/** Why a change took nothing: where the meter itself has units, only a budget of the client can have refused. */
export function refusalOf(
  { purpose }: Taker,
  { account, setAside }: Applied,
  limit = Infinity,
): Refused {
  const hasUnits = account.closedUntil <= 0 && affordable(account, limit - setAside) > 0;
  return hasUnits && purpose.budgets.length > 0 ? 'OVER_BUDGET' : 'EXHAUSTED';
}

export const createTaker = (purpose: Purpose): Taker => ({
  purpose,
  answer: undefined,
  ...Promise.withResolvers<Taken | Refused>(),
});
export const isTaken = (answer: Taken | Refused | undefined): answer is Taken =>
  typeof answer === 'object';
export const isWaiting = ({ answer }: Taker) => answer === undefined;
export const isServed = ({ answer }: Taker) => isTaken(answer);

/** Those who want units for the same share one line of a change. */
export function groupByPurpose<T extends { purpose: Purpose }>(all: readonly T[]): T[][] {
  const groups = Map.groupBy(all, ({ purpose }) => nameOf(purpose));
  return [...groups.values()];
}

export const wantedBy = (group: readonly { purpose: Purpose }[]): Wanted => ({
  purpose: group[0]!.purpose,
  units: group.length,
});

/** A day may end in the middle of an hour, and budgets may be changed at any time. */
const nameOf = ({ client, operation, dataset, hour, budgets }: Purpose) => {
  const bounds = budgets.map(({ window, limit }) => `${window} ${limit}`);
  return [client, operation, dataset, hour, ...bounds].join('\n');
};
