import { type ASTNode, GraphQLError } from 'graphql';
import type { TurnLengths } from './turn-lengths.ts';

/**
 * What one operation may use of the process: values, characters of its answer, processor time. It is counted while the
 * operation runs, since an estimate beforehand cannot know what will come.
 */

export interface ResourceLimits {
  /** Fields and list items resolved by graphql-js. */
  maxValuesPerOperation: number;
  /** Characters of the JSON text of the data. */
  maxAnswerBytes: number;
  maxProcessorMsPerOperation: number;
}

/** Decides which operation may run when several have more to do. */
export interface Turns {
  /** Resolves when it is the operation's turn; never if it has used up its resources. */
  wait(resources: Resources): Promise<void>;
  /** Runs `task` once everything else that waits for the event loop has had its chance. */
  afterOthers(task: () => void): void;
  /** How long operations have held the process since the event loop last served everything else, in milliseconds. */
  heldMs: number;
  /** Whether any operation waits for its turn. */
  hasWaiting: boolean;
  /** When an operation first resumed outside of a turn since that moment; undefined while none has. */
  resumedAt: number | undefined;
  /** How long turns are at present. */
  lengths: TurnLengths;
}

export interface Resources {
  /** What is left of each limit. */
  values: number;
  characters: number;
  processorMs: number;
  /** Whether it asks about the schema, whose values are not booked as they are resolved. */
  asksAboutSchema: boolean;
  /** The clock is checked once fewer characters than this are left. */
  checkBelow: number;
  /** When it began to hold the process (`performance.now()`); undefined while it does not. */
  since: number | undefined;
  /** When the clock was last checked for it. */
  seenAt: number;
  /** Why the operation ends; undefined while nothing is used up. */
  error: GraphQLError | undefined;
  /** Called once, when a resource is used up. */
  onExceeded: (error: GraphQLError) => void;
  /** Tasks of this operation that wait for its turn. */
  readonly waiting: (() => void)[];
  /** How many of them are in reversed order: the last one of these goes on first. */
  reversed: number;
  /** Called once no task of this operation waits any longer, or the operation is over. */
  readonly onNoneWaiting: (() => void)[];
  /** Whether it has had a turn. */
  hadTurn: boolean;
  /** Whose operation it is, e.g. an address: parties take turns. */
  readonly party: string;
  /** Undefined if the operation never has to wait for others. */
  readonly turns: Turns | undefined;
  readonly limits: ResourceLimits;
}

/** How much text is written between two checks of the clock, in characters. */
export const CHECK_EVERY_CHARACTERS = 32_768;

export function allotResources(limits: ResourceLimits, turns?: Turns, party = ''): Resources {
  return {
    values: limits.maxValuesPerOperation,
    characters: limits.maxAnswerBytes,
    processorMs: limits.maxProcessorMsPerOperation,
    asksAboutSchema: false,
    checkBelow: Math.max(0, limits.maxAnswerBytes - CHECK_EVERY_CHARACTERS),
    since: undefined,
    seenAt: 0,
    error: undefined,
    onExceeded: () => undefined,
    waiting: [],
    reversed: 0,
    onNoneWaiting: [],
    hadTurn: false,
    party,
    turns,
    limits,
  };
}

/** For everything that runs outside of a client's operation. */
export const UNLIMITED = allotResources({
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: Infinity,
});

/** Books values. Returns false if the operation is over, e.g. because none are left. */
export function takeValues(resources: Resources, count: number): boolean {
  resources.values -= count;
  if (resources.values < 0) exceed(resources, 'values');
  return resources.error === undefined;
}

/**
 * Returns a function that takes back the values and characters booked in the meantime, for a caller that makes the same
 * answer again in another way. Processor time is not given back.
 */
export function checkpointOf(resources: Resources): () => void {
  const { values, characters, checkBelow } = resources;
  return () => void Object.assign(resources, { values, characters, checkBelow });
}

const EXCEEDED = {
  values: ({ maxValuesPerOperation: max }: ResourceLimits) =>
    `more than ${max} values (MAX_VALUES_PER_OPERATION)`,
  characters: ({ maxAnswerBytes: max }: ResourceLimits) =>
    `an answer of more than ${max} characters (MAX_ANSWER_BYTES)`,
  'processor time': ({ maxProcessorMsPerOperation: max }: ResourceLimits) =>
    `more than ${max} ms of processor time (MAX_PROCESSOR_MS_PER_OPERATION)`,
};

/** Why an operation does not run, or ends: it asks for too much. `at`: where its document does so. */
export const operationTooLarge = (message: string, at?: ASTNode): GraphQLError =>
  new GraphQLError(message, {
    nodes: at,
    extensions: { code: 'OPERATION_TOO_LARGE', retryable: false },
  });

/** Ends the operation with one error for all of it. */
export function exceed(resources: Resources, what: keyof typeof EXCEEDED): void {
  if (resources.error) return;
  const message = `The operation needs ${EXCEEDED[what](resources.limits)}. Ask for less at a time.`;
  resources.error = operationTooLarge(message);
  resources.waiting.length = 0;
  resources.onExceeded(resources.error);
  notifyNoneWaiting(resources);
}

/** Calls the `onNoneWaiting` callbacks: no task of the operation waits for its turn now. */
export function notifyNoneWaiting({ onNoneWaiting }: Resources): void {
  for (const notify of onNoneWaiting.splice(0)) notify();
}
