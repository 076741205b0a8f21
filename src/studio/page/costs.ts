import { dryRun, isUnauthenticated, passes, type Sent } from './client.ts';
import { type Answer, type Estimate, METERS, type Problem } from './document.ts';
import { type Operation, operationIn, type TopField } from './operations.ts';
import { refusalIn } from './words.ts';

/** What the operation in the editor would cost, as a whole and by field, asked for while somebody types. */

export interface FieldCost {
  name: string;
  line: number;
  estimate: Estimate;
  /** Why the field, or a part of it, would be refused; undefined if it would not. */
  refusal: string | undefined;
}

export type Costs =
  | { kind: 'unknown' }
  | { kind: 'unanswered' }
  | { kind: 'live'; answer: Answer }
  | { kind: 'refused'; answer: Answer }
  | {
      kind: 'known';
      whole: Estimate;
      refusal: string | undefined;
      fields: FieldCost[];
      /** Whether `fields` has all of the operation's outermost fields. */
      isComplete: boolean;
      answer: Answer;
    };

/** Whether running it costs nothing. A refused operation is not free: it may cost something later. */
const isFree = (costs: Costs): boolean =>
  costs.kind === 'known' && costsNothing({ estimate: costs.whole, refusal: costs.refusal });

/** Whether it may run automatically: if it costs nothing, or only the made-up units of a sandbox. */
export const mayRun = (costs: Costs, isSandbox: boolean): boolean =>
  isFree(costs) || (isSandbox && (costs.kind === 'known' || costs.kind === 'live'));

/** After how long the same operation may have another price; undefined if it hardly will. */
function recheckMs(costs: Costs): number | undefined {
  if (isFree(costs) || costs.kind === 'live') return RECHECK_MS;
  const isRefused = costs.kind === 'known' && costs.refusal !== undefined;
  return isRefused ? REFUSED_RECHECK_MS : undefined;
}

const isPassing = (costs: Costs): boolean => costs.kind === 'refused' && passes(costs.answer);

type Whole = Pick<FieldCost, 'estimate' | 'refusal'>;

const costsNothing = ({ estimate, refusal }: Whole): boolean =>
  refusal === undefined && METERS.every((meter) => estimate.most[meter] === 0);

export interface Asked {
  query: string;
  variables: unknown;
  operationName: string | undefined;
  headers: Readonly<Record<string, string>>;
}

const PAUSE_MS = 300;
/** How long to wait before asking again after the gateway did not answer, or refused only for now. */
const RETRY_MS = 5000;
/** How often to recheck free operations, since answers expire, and whether live updates can be paid. */
const RECHECK_MS = 15_000;
/** How often to recheck refused ones: an allowance may be renewed. Each of their fields is asked for again. */
const REFUSED_RECHECK_MS = 60_000;
/** When to ask once more after a run was stopped: by then most of its upstream requests are in the cache. */
const STOPPED_MS = 5000;
/** Maximum number of fields that are priced one by one; for longer operations only the sum is asked for. */
const MAX_FIELDS = 8;

/** `read` returns undefined while variables or headers are incomplete. */
export function createCosts(read: () => Asked | undefined, show: (costs: Costs) => void) {
  let timer: number | undefined;
  /** Asks for what the timer would have asked for, if the page had not been hidden by then. */
  let askLate: (() => void) | undefined;
  let running: AbortController | undefined;
  /** Undefined once the editor's content has changed. */
  let latest: Costs | undefined;

  async function find(thenMs?: number): Promise<Costs | undefined> {
    cancel();
    const { signal } = (running = new AbortController());
    const costs = await costsOf(read(), signal).catch((): Costs => ({ kind: 'unanswered' }));
    if (signal.aborted) return undefined;
    running = undefined;
    latest = costs;
    show(costs);
    const againMs = recheckMs(costs) ?? thenMs;
    if (costs.kind === 'unanswered' || isPassing(costs)) planIn(RETRY_MS);
    else if (againMs !== undefined) planIn(againMs);
    return costs;
  }

  function cancel(): void {
    clearTimeout(timer);
    askLate = undefined;
    running?.abort();
  }

  /** Asks after `pauseMs` unless planned anew by then; if the page is hidden, once it is visible again. */
  function planIn(pauseMs: number, thenMs?: number): void {
    cancel();
    const ask = () => void find(thenMs);
    timer = window.setTimeout(() => {
      if (document.hidden) askLate = ask;
      else ask();
    }, pauseMs);
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) askLate?.();
  });

  return {
    /** `isStopped`: a run was stopped, and its upstream requests may still be in flight. */
    plan(isStopped = false): void {
      latest = undefined;
      planIn(PAUSE_MS, isStopped ? STOPPED_MS : undefined);
    },
    /** Shows the latest costs in a new editor. Costs still being asked for are shown when they come. */
    showAgain(): void {
      if (latest) show(latest);
    },
    /** Asks at once. Resolves to undefined if something else was asked meanwhile. */
    now(): Promise<Costs | undefined> {
      latest = undefined;
      return find();
    },
  };
}

async function costsOf(asked: Asked | undefined, signal: AbortSignal): Promise<Costs> {
  const operation = asked && operationIn(asked);
  if (!operation) return { kind: 'unknown' };
  const { query, variables, headers } = asked;
  if (operation.kind === 'subscription') return liveUnlessLocked(headers, signal);
  const of = (sent: Sent) => dryRun({ ...sent, variables }, headers, signal);
  const { estimate, answer } = await of({ query, operationName: operation.name });
  if (!estimate) return { kind: 'refused', answer };
  const whole = { estimate, refusal: refusalIn(answer) };
  const fields = await fieldCosts(operation, whole, of);
  const areKnown = !operation.hasMore && fields.length === operation.fields.length;
  // If an item of a list is refused, the other items are not.
  const isOfList = ({ path = [] }: Problem) => path.some((part) => typeof part === 'number');
  const isComplete = areKnown && !answer.errors?.some(isOfList);
  return { kind: 'known', whole: estimate, refusal: whole.refusal, fields, isComplete, answer };
}

/** Live updates have no price, but the gateway may require a key for them. */
async function liveUnlessLocked(headers: Asked['headers'], signal: AbortSignal): Promise<Costs> {
  const { answer } = await dryRun({ query: '{ __typename }' }, headers, signal);
  return { kind: isUnauthenticated(answer) ? 'refused' : 'live', answer };
}

type AskDryRun = (sent: Sent) => ReturnType<typeof dryRun>;

/** A single field costs what the operation does, and all are free if the whole is; otherwise each is asked for. */
async function fieldCosts(
  { fields, hasMore }: Pick<Operation, 'fields' | 'hasMore'>,
  whole: Whole,
  of: AskDryRun,
): Promise<FieldCost[]> {
  if (fields.length > MAX_FIELDS) return [];
  const isOnlyOne = fields.length === 1 && !hasMore;
  if (isOnlyOne || costsNothing(whole))
    return fields.map((field) => ({ ...named(field), ...whole }));
  const costs = await Promise.all(fields.map((field) => costOf(field, of)));
  return costs.filter((cost) => cost !== undefined);
}

const named = ({ name, line }: TopField) => ({ name, line });

/** Undefined if the gateway refuses the field on its own. */
async function costOf(field: TopField, of: AskDryRun): Promise<FieldCost | undefined> {
  const { estimate, answer } = await of({ query: field.query });
  return estimate && { ...named(field), estimate, refusal: refusalIn(answer) };
}
