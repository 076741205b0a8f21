import { GraphQLError } from 'graphql';
import type { TurnLengths } from './turn-lengths.ts';

/**
 * What one operation may take of the process: values, characters of its answer, processor time. An estimate
 * before it runs cannot know what comes, so this is counted while it runs.
 */

export interface ResourceLimits {
  /** Fields and list items resolved by graphql-js. */
  maxValuesPerOperation: number;
  /** Characters of the JSON text of the data. */
  maxAnswerBytes: number;
  maxProcessorMsPerOperation: number;
}

/** Who may run when several operations have more to do. */
export interface Turns {
  /** Resolves when it is the operation's turn; never once it has used up its resources. */
  wait(resources: Resources): Promise<void>;
  /** Runs `task` as soon as all that waits for the event loop has had its chance. */
  afterOthers(task: () => void): void;
  /** How long operations have held the process since it last served all others. */
  heldMs: number;
  /** Whether anything waits for its turn. */
  hasWaiting: boolean;
  /** When the first operation went on by itself since then; undefined while none has. */
  resumedAt: number | undefined;
  /** How long they are at present. */
  lengths: TurnLengths;
}

export interface Resources {
  /** What is left of each limit. */
  values: number;
  bytes: number;
  processorMs: number;
  /** Whether it asks about the schema: nobody books values of that as they are resolved. */
  asksAboutSchema: boolean;
  /** When the number of bytes left falls below it, the clock is looked at. */
  checkBelow: number;
  /** When it began to hold the process (`performance.now()`); undefined while it does not. */
  since: number | undefined;
  /** When it last looked at the clock. */
  seenAt: number;
  /** Why the operation ends; undefined as long as none is used up. */
  error: GraphQLError | undefined;
  /** Called once, when they are used up. */
  onExceeded: (error: GraphQLError) => void;
  /** Tasks of this operation that wait for its turn; the last one goes on first. */
  readonly waiting: (() => void)[];
  /** Called once no task of this operation waits any longer, or it is over. */
  readonly onNoneWaiting: (() => void)[];
  /** Whether it has had a turn. */
  hadTurn: boolean;
  /** Whose operation it is, e.g. an address: parties take turns. */
  readonly party: string;
  /** Undefined: nobody else waits, and it never has to. */
  readonly turns: Turns | undefined;
  readonly limits: ResourceLimits;
}

/** So much text is written between two looks at the clock. */
export const CHECK_EVERY_BYTES = 32_768;

export function allotResources(limits: ResourceLimits, turns?: Turns, party = ''): Resources {
  return {
    values: limits.maxValuesPerOperation,
    bytes: limits.maxAnswerBytes,
    processorMs: limits.maxProcessorMsPerOperation,
    asksAboutSchema: false,
    checkBelow: Math.max(0, limits.maxAnswerBytes - CHECK_EVERY_BYTES),
    since: undefined,
    seenAt: 0,
    error: undefined,
    onExceeded: () => undefined,
    waiting: [],
    onNoneWaiting: [],
    hadTurn: false,
    party,
    turns,
    limits,
  };
}

/** For what runs outside of an operation of a client. */
export const UNLIMITED = allotResources({
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: Infinity,
});

/** Books values. False: there are none left, and the operation is over. */
export function takeValues(resources: Resources, count: number): boolean {
  resources.values -= count;
  if (resources.values < 0) exceed(resources, 'values');
  return resources.error === undefined;
}

/**
 * Returns a function that gives back what is booked until it is called, for who makes the same again in another way. The
 * processor time is gone.
 */
export function checkpointOf(resources: Resources): () => void {
  const { values, bytes, checkBelow } = resources;
  return () => void Object.assign(resources, { values, bytes, checkBelow });
}

const EXCEEDED = {
  values: ({ maxValuesPerOperation: max }: ResourceLimits) =>
    `more than ${max} values (MAX_VALUES_PER_OPERATION)`,
  bytes: ({ maxAnswerBytes: max }: ResourceLimits) =>
    `an answer of more than ${max} characters (MAX_ANSWER_BYTES)`,
  'processor time': ({ maxProcessorMsPerOperation: max }: ResourceLimits) =>
    `more than ${max} ms of processor time (MAX_PROCESSOR_MS_PER_OPERATION)`,
};

/** Ends the operation: one error for all of it. */
export function exceed(resources: Resources, what: keyof typeof EXCEEDED): void {
  if (resources.error) return;
  const message = `The operation needs ${EXCEEDED[what](resources.limits)}. Ask for less at a time.`;
  resources.error = new GraphQLError(message, { extensions: { code: 'OPERATION_TOO_LARGE' } });
  resources.waiting.length = 0;
  resources.onExceeded(resources.error);
  tellNoneWaiting(resources);
}

/** Nothing of the operation waits for its turn now. */
export function tellNoneWaiting({ onNoneWaiting }: Resources): void {
  for (const tell of onNoneWaiting.splice(0)) tell();
}
