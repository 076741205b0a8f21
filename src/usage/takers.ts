/** Who waits for a unit, and what they are told. */

/** The number that a request leaves with. */
export interface Taken {
  sentAs: number;
}

/** The allowance is used up; or a limit is set, and nobody can tell whether it would be passed. */
export type Refused = 'EXHAUSTED' | 'UNCERTAIN';

/** Somebody who wants a unit. */
export interface Taker {
  answer: Taken | Refused | undefined;
  promise: Promise<Taken | Refused>;
  resolve(answer: Taken | Refused): void;
}

export const createTaker = (): Taker => ({
  answer: undefined,
  ...Promise.withResolvers<Taken | Refused>(),
});
export const isWaiting = ({ answer }: Taker) => answer === undefined;
export const isServed = ({ answer }: Taker) => typeof answer === 'object';
