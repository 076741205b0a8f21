import type { Maybe } from '../maybe.ts';
import type { Meter } from '../meters.ts';
import type { Account, Ended } from './account.ts';
import type { History } from './history.ts';

/**
 * Where units are counted for all processes together. Everything that one process has to say of an
 * account is one change, which is made in one atomic step, so that limits hold whatever dies when.
 */
export interface UnitStore {
  /**
   * Makes a change. Undefined where the store cannot be used: whether the change was made is not known
   * then, and it has to be handed over again, just as it was, until there is an answer.
   */
  apply(id: AccountId, change: Change): Maybe<Applied | undefined>;
  /**
   * What is known of an account now, which nobody may change; undefined where that cannot be told. The same object as
   * before: nothing has changed.
   */
  read(id: AccountId): Account | undefined;
  /** The same for what a client has spent in a window. */
  readCounter(id: AccountId, counter: CounterId): number | undefined;
  /**
   * Who has spent what, from an hour up to another one (hours since 1970), by hours, in portions. Throws where it cannot be
   * read now. A line that changes meanwhile is told as it was or as it is.
   */
  spent: ReadSpent;
  /** Rows by slot that governors learn from and the console shows. */
  readonly history: History;
  /** How many times a change fails before whoever waits for it goes on without. */
  readonly maxFailures: number;
  /** How often a process should hand over a change even if it is an empty one; undefined: never. */
  readonly beatMs: number | undefined;
  /** From now on changes are the last ones: each may take a while, but is made if that is possible. */
  beginClose(): void;
  /** Resolves, or returns, once all has been stored, the history too. */
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

/** What a unit is spent for. It is counted there, and against the budgets of who pays for it. */
export interface Purpose {
  /** Who pays; '' where nobody has a name. */
  readonly client: string;
  readonly operation: string;
  readonly dataset: string;
  /** Hours since 1970, when it was taken. */
  readonly hour: number;
  /** Of the client: what is spent in each window is counted, and may reach the limit. */
  readonly budgets: readonly { readonly window: string; readonly limit: number }[];
}

/** A line of the account by client: units of one hour that are for the same. */
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

/** Requests for the same, each of which is expected to cost so many units. */
export interface Wanted {
  readonly purpose: Purpose;
  readonly requests: number;
  readonly cost: number;
}

export interface EndedFor extends Ended {
  readonly purpose: Purpose;
}

export interface Change {
  /** Changes of a process are numbered; one that is handed over twice is made once. */
  number: number;
  /** Requests that are to be paid, by what they are for. */
  take: readonly Wanted[];
  /** The most that may be used then; undefined: any number. */
  limit: number | undefined;
  /** Of a closed meter: the `closedUntil` that is over, so that one request may find out whether it is open again. */
  look: number | undefined;
  /** Requests that were paid without units being taken before, while the store could not be used. */
  spent: readonly Wanted[];
  ended: readonly EndedFor[];
  /** Requests that are under way, without those that are to be paid now. */
  underWay: number;
  /** Units that were granted in advance, and may be spent while this change is on its way. */
  held: number;
}

export interface Applied {
  /** For how many of the requests there were units, one number for each of `take`. */
  taken: readonly number[];
  account: Account;
  /** Units that somebody else has spent; told once. */
  elsewhere: number;
  /** Units that this process may spend while the store cannot be used. */
  advance: number;
  /** Where there were too few units: there may be more after this, in milliseconds. */
  waitMs: number | undefined;
}
