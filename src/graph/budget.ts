import { GraphQLError } from 'graphql';
import type { TurnLengths } from './turn-lengths.ts';

/**
 * What one operation may take of the process: values, bytes of its answer, processor time. An estimate
 * before it runs cannot know what comes, so this is counted while it runs. It also says when an
 * operation has held the process long enough and has to let others run first.
 */

export interface BudgetLimits {
  /** Fields and list items resolved by graphql-js. */
  maxValuesPerOperation: number;
  /** Characters of the JSON text of the data. */
  maxAnswerBytes: number;
  maxProcessorMsPerOperation: number;
}

/** Who may run when several operations have more to do. */
export interface Turns {
  /** Resolves when it is the operation's turn; never once it has used up its budget. */
  wait(budget: Budget): Promise<void>;
  /** Runs `task` as soon as all that waits for the event loop has had its chance. */
  afterOthers(task: () => void): void;
  /** How long operations have held the process since it last served all others. */
  heldMs: number;
  /** Whether anything waits for its turn. */
  areWaited: boolean;
  /** When the first operation went on by itself since then; undefined while none has. */
  resumedAt: number | undefined;
  /** How long they are at present. */
  lengths: TurnLengths;
}

export interface Budget {
  values: number;
  bytes: number;
  processorMs: number;
  /** When the number of bytes left falls below it, the clock is looked at. */
  checkBelow: number;
  /** When it began to hold the process (`performance.now()`); undefined while it does not. */
  since: number | undefined;
  /** When it last looked at the clock. */
  seenAt: number;
  /** Why the operation ends; undefined as long as it is within its budget. */
  error: GraphQLError | undefined;
  /** Called once, when the budget is used up. */
  onExceeded: (error: GraphQLError) => void;
  /** Tasks of this operation that wait for its turn; the last one goes on first. */
  readonly waiting: (() => void)[];
  /** Whether it has had a turn. */
  hasBegun: boolean;
  /** Whose operation it is, e.g. an address: parties take turns. */
  readonly party: string;
  /** Undefined: nobody else waits, and it never has to. */
  readonly turns: Turns | undefined;
  readonly limits: BudgetLimits;
}

/** So much text is written between two looks at the clock. */
const CHECK_EVERY_BYTES = 32_768;

export function startBudget(limits: BudgetLimits, turns?: Turns, party = ''): Budget {
  return {
    values: limits.maxValuesPerOperation,
    bytes: limits.maxAnswerBytes,
    processorMs: limits.maxProcessorMsPerOperation,
    checkBelow: Math.max(0, limits.maxAnswerBytes - CHECK_EVERY_BYTES),
    since: undefined,
    seenAt: 0,
    error: undefined,
    onExceeded: () => undefined,
    waiting: [],
    hasBegun: false,
    party,
    turns,
    limits,
  };
}

/** For what runs outside of an operation of a client. */
export const UNLIMITED = startBudget({
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: Infinity,
});

/** Whether whoever begins now has to wait for its turn. */
export const isBusy = (turns: Turns): boolean => turns.heldMs > turns.lengths.busy;

/** From now on the operation holds the process. */
export function beginStretch(budget: Budget): void {
  budget.since = performance.now();
  budget.seenAt = budget.since;
}

/** No work takes longer between two looks at the clock. */
const LONGEST_PIECE_MS = 100;

/** Looks at the clock. Where more time has passed than work can have taken, the machine stood still. */
function look(budget: Budget, since: number): void {
  const now = performance.now();
  const stoodStill = Math.max(0, now - budget.seenAt - LONGEST_PIECE_MS);
  budget.since = since + stoodStill;
  budget.seenAt = now;
}

/** The operation no longer holds the process: what it took is booked. `now`: by default, when it last looked. */
export function endStretch(budget: Budget, now = budget.seenAt): void {
  if (budget.since === undefined) return;
  const ms = now - budget.since;
  budget.since = undefined;
  budget.processorMs -= ms;
  if (budget.turns) budget.turns.heldMs += ms;
}

/** Ends its stretch where it has worked until this moment, and not only until it last looked at the clock. */
export function endStretchNow(budget: Budget): void {
  if (budget.since !== undefined) look(budget, budget.since);
  endStretch(budget);
}

/** Whether it has held the process long enough, and has to wait for its turn before it does more. */
export function mustWait(budget: Budget): boolean {
  const { turns, since } = budget;
  if (!turns) return false;
  if (since === undefined) {
    // It goes on after it has waited for something. Nothing is called when it is done with that: its time ends with
    // the next round of the event loop.
    beginStretch(budget);
    turns.resumedAt ??= budget.seenAt;
    turns.afterOthers(() => {
      turns.resumedAt = undefined;
      endStretch(budget);
    });
  } else {
    look(budget, since);
    if (budget.seenAt - (budget.since ?? since) > budget.processorMs)
      exceed(budget, 'processor time');
  }
  // Many that waited for the same thing go on together: they share one stretch.
  const from = turns.resumedAt ?? since ?? budget.seenAt;
  return budget.seenAt - from > turns.lengths.stretch;
}

/** Resolves when it is the operation's turn; never, once its budget is used up. */
export function turnOf(budget: Budget): Promise<void> {
  return budget.turns?.wait(budget) ?? Promise.resolve();
}

/** Books values. False: there are none left, and the operation is over. */
export function takeValues(budget: Budget, count: number): boolean {
  budget.values -= count;
  if (budget.values < 0) exceed(budget, 'values');
  return budget.error === undefined;
}

/**
 * Returns a function that gives back what is booked until it is called, for who makes the same again in another way. The
 * processor time is gone.
 */
export function notingBooked(budget: Budget): () => void {
  const { values, bytes, checkBelow } = budget;
  return () => void Object.assign(budget, { values, bytes, checkBelow });
}

/** Thrown where text is written, to write it in pieces instead; nobody but the writer sees it. */
export class TakesLonger extends Error {}
/** The same where the operation is over. */
export class IsOver extends Error {}

/** Books a text by the number of bytes that are left after it. Throws IsOver or TakesLonger. */
export function leaveBytes(budget: Budget, left: number): void {
  budget.bytes = left;
  if (left >= budget.checkBelow) return;
  if (takeBytesChecked(budget)) throw new TakesLonger();
}

/** The same in pieces: the writer itself asks when to wait. Throws IsOver. */
export function leaveBytesInPieces(budget: Budget, left: number): void {
  budget.bytes = left;
  if (left < 0) exceed(budget, 'bytes');
  if (budget.error) throw new IsOver();
}

function takeBytesChecked(budget: Budget): boolean {
  budget.checkBelow = Math.max(0, budget.bytes - CHECK_EVERY_BYTES);
  leaveBytesInPieces(budget, budget.bytes);
  return mustWait(budget);
}

const EXCEEDED = {
  values: ({ maxValuesPerOperation: max }: BudgetLimits) =>
    `more than ${max} values (MAX_VALUES_PER_OPERATION)`,
  bytes: ({ maxAnswerBytes: max }: BudgetLimits) =>
    `an answer of more than ${max} bytes (MAX_ANSWER_BYTES)`,
  'processor time': ({ maxProcessorMsPerOperation: max }: BudgetLimits) =>
    `more than ${max} ms of processor time (MAX_PROCESSOR_MS_PER_OPERATION)`,
};

/** Ends the operation: one error for all of it. */
function exceed(budget: Budget, what: keyof typeof EXCEEDED): void {
  if (budget.error) return;
  const message = `The operation needs ${EXCEEDED[what](budget.limits)}. Ask for less at a time.`;
  budget.error = new GraphQLError(message, { extensions: { code: 'OPERATION_TOO_LARGE' } });
  budget.waiting.length = 0;
  budget.onExceeded(budget.error);
}
