import { isClosed, unspent } from '../shared/account.ts';
import type { Applied, Purpose, Wanted } from '../shared/units.ts';

/** Requests that wait for units, and what they are told. */

/** The answer if units were taken: the number that the request is sent with. */
export interface Taken {
  sentAs: number;
}

/**
 * Why a request gets no units: the allowance is used up; or there is a limit or a budget, and nobody knows whether it
 * would be exceeded; or a budget of the client is used up.
 */
export type Refused = 'EXHAUSTED' | 'UNCERTAIN' | 'OVER_BUDGET';

/** What a request is for, and what it is expected to cost, in units. */
export interface Priced {
  purpose: Purpose;
  cost: number;
}

/** Returns what they cost together, in units. */
export const costOf = (all: readonly Priced[]): number =>
  all.reduce((sum, { cost }) => sum + cost, 0);

/** A request that waits to be paid for. */
export interface Taker extends Priced {
  /** When it began to wait, by the monotonic clock. */
  since: number;
  answer: Taken | Refused | undefined;
  promise: Promise<Taken | Refused>;
  resolve(answer: Taken | Refused): void;
}

/**
 * How long a request waits for units, in milliseconds. A server that has lost its memory gives out none for two
 * seconds, and what another replica holds comes back within about a second.
 */
const MAX_WAIT_MS = 5000;

/** Whether a request may wait until there may be more units, which takes `waitMs`. */
export const mayWait = ({ since }: Taker, now: number, waitMs: number | undefined) =>
  waitMs !== undefined && now + waitMs - since <= MAX_WAIT_MS;

/**
 * Returns why a change took nothing, although no budget is known to refuse: the request cannot wait any longer for units
 * that there may be; or too few are left. If there are enough, a budget did refuse, and units were given back to it since.
 */
export function refusalOf(
  { purpose, cost }: Taker,
  { account, waitMs }: Applied,
  limit = Infinity,
): Refused {
  if (waitMs !== undefined) return 'UNCERTAIN';
  const { remaining, lastSent, balanceAt } = account;
  // The balance may not include the requests that left after it came.
  const isPaid = remaining === null || remaining >= (lastSent - balanceAt + 1) * cost;
  const hasUnits = !isClosed(account) && isPaid && unspent(account, limit) >= cost;
  return hasUnits && purpose.budgets.length > 0 ? 'OVER_BUDGET' : 'EXHAUSTED';
}

export const createTaker = (priced: Priced, now: number): Taker => ({
  ...priced,
  since: now,
  answer: undefined,
  ...Promise.withResolvers<Taken | Refused>(),
});
export const isTaken = (answer: Taken | Refused | undefined): answer is Taken =>
  typeof answer === 'object';
export const isWaiting = ({ answer }: Taker) => answer === undefined;
export const isServed = ({ answer }: Taker) => isTaken(answer);

/** Groups requests of the same purpose and cost: each group is one entry of a change. */
export function groupAlike<T extends Priced>(all: readonly T[]): T[][] {
  const groups = Map.groupBy(all, ({ purpose, cost }) => `${cost} ${nameOf(purpose)}`);
  return [...groups.values()];
}

export const wantedBy = (group: readonly Priced[]): Wanted => ({
  purpose: group[0]!.purpose,
  cost: group[0]!.cost,
  requests: group.length,
});

/** Includes the budgets: within an hour another day may begin, or the clients file may change. */
const nameOf = ({ client, operation, dataset, hour, budgets }: Purpose) => {
  const bounds = budgets.map(({ window, limit }) => `${window} ${limit}`);
  return [client, operation, dataset, hour, ...bounds].join('\n');
};
