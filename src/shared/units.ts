import type { Maybe } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import type { Account, Ended } from './account.ts';
import type { History } from './history.ts';

/**
 * Where units are counted for all processes together. Everything that a process has to say about an account at one time
 * is one change, made in one atomic step, so that limits hold whichever process dies, at whatever moment.
 */
export interface UnitStore {
  /**
   * Makes a change. Undefined if the store cannot be used: then it is unknown whether the change was made, and the same
   * change has to be handed over again until there is an answer.
   */
  apply(id: AccountId, change: Change): Maybe<Applied | undefined>;
  /**
   * Returns what is known of an account now; not to be modified. Undefined if it is unknown. The same object as before
   * means that nothing has changed.
   */
  read(id: AccountId): Account | undefined;
  /** Returns what a client has spent in a window; undefined if it is unknown. */
  readCounter(id: AccountId, counter: CounterId): number | undefined;
  /**
   * Reads who has spent what, from one hour up to (not including) another one (hours since 1970), sorted by hour, in
   * portions. Throws if it cannot be read at present. A line that changes meanwhile is returned in its old or its new
   * state.
   */
  spent: ReadSpent;
  /** Rows by slot, which governors learn from and the console shows. */
  readonly history: History;
  /** After how many failures of a change requests no longer wait for it. */
  readonly maxFailures: number;
  /** How often a process should hand over a change, even an empty one; undefined: never. */
  readonly heartbeatMs: number | undefined;
  /**
   * Announces that changes are the last ones from now on: each may take a while, but is made if at all possible. Resolves,
   * or returns, when they may be handed over.
   */
  beginClose(): Maybe<void>;
  /** Resolves, or returns, once everything is stored, including the history. */
  close(): Maybe<void>;
}

/** One meter in one calendar month. */
export interface AccountId {
  month: string;
  meter: Meter;
}

/** What a client has spent of a meter in one window: a day (YYYY-MM-DD) or a month (YYYY-MM). */
export interface CounterId {
  client: string;
  window: string;
}

/** What was counted in an account before this store was used. */
export interface Counted {
  readonly id: AccountId;
  readonly used: number;
  readonly counters: readonly (CounterId & { readonly used: number })[];
}

/** What a unit is spent for: it is attributed to that, and counted against the budgets of the client that pays. */
export interface Purpose {
  /** The client that pays; '' if clients have no names. */
  readonly client: string;
  readonly operation: string;
  readonly dataset: string;
  /** When the unit was taken, in hours since 1970. */
  readonly hour: number;
  /** The client's budgets: what is spent in each window is counted, and may reach the limit. */
  readonly budgets: readonly { readonly window: string; readonly limit: number }[];
}

/** A line of who has spent what: the units of one hour with the same purpose. */
export interface SpentLine {
  /** Hours since 1970. */
  hour: number;
  meter: Meter;
  client: string;
  operation: string;
  dataset: string;
  units: number;
}

export type ReadSpent = (from: number, to: number) => AsyncIterable<readonly SpentLine[]>;

/** Requests with the same purpose and the same expected cost, in units. */
export interface Wanted {
  readonly purpose: Purpose;
  readonly requests: number;
  readonly cost: number;
}

export interface EndedFor extends Ended {
  readonly purpose: Purpose;
}

export interface Change {
  /** The changes of a process are numbered, so that one that is handed over twice is made once. */
  number: number;
  /** Requests to pay for, by purpose. */
  take: readonly Wanted[];
  /** Maximum that may be used in total afterwards; undefined: no limit. */
  limit: number | undefined;
  /** To probe a closed meter: its `closedUntil`, which is past. */
  look: number | undefined;
  /** Requests paid for without taking units first, while the store could not be used. */
  spent: readonly Wanted[];
  ended: readonly EndedFor[];
  /** Number of requests in flight, without those of `take`. */
  underWay: number;
  /** Units that were granted in advance, and may be spent while this change is in flight. */
  held: number;
}

export interface Applied {
  /** For how many requests units were taken: one number for each entry of `take`. */
  taken: readonly number[];
  account: Account;
  /** Units that somebody else has spent; reported once. */
  elsewhere: number;
  /** Units that this process may spend while the store cannot be used. */
  advance: number;
  /** If there were too few units: after how many milliseconds there may be more. */
  waitMs: number | undefined;
}
