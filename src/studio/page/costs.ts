import { dryRun, isUnauthenticated, type Sent } from './client.ts';
import { type Answer, type Estimate, METERS } from './document.ts';
import { operationNamed, readDocument, type TopField } from './operations.ts';
import { refusalIn } from './words.ts';

/** What the operation in the editor would cost, as a whole and by field, asked for while somebody types. */

export interface FieldCost {
  name: string;
  line: number;
  estimate: Estimate;
  /** Why the field, or a part of it, would be refused; undefined where it would not. */
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
      answer: Answer;
    };

/** Whether to run it costs nothing; what would be refused may cost something at another time. */
const isFree = (costs: Costs): boolean =>
  costs.kind === 'known' && costsNothing({ estimate: costs.whole, refusal: costs.refusal });

/** Whether it may run by itself: where it costs nothing, or nothing real, as in a sandbox. */
export const mayRun = (costs: Costs, isSandbox: boolean): boolean =>
  isFree(costs) || (isSandbox && (costs.kind === 'known' || costs.kind === 'live'));

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
/** After the gateway did not answer. */
const RETRY_MS = 5000;
/** By itself changes whether something costs nothing, since answers expire, and whether live updates can be paid. */
const RECHECK_MS = 15_000;
/** What was asked upstream before a run was stopped mostly is in the cache by then. */
const STOPPED_MS = 5000;
/** Of longer operations only the sum is asked for. */
const MOST_FIELDS = 8;

/** `read` gives undefined where variables or headers are only half written. */
export function createCosts(read: () => Asked | undefined, show: (costs: Costs) => void) {
  let timer: number | undefined;
  let running: AbortController | undefined;
  /** Undefined where something else is in the editor since. */
  let latest: Costs | undefined;

  async function find(thenMs?: number): Promise<Costs | undefined> {
    cancel();
    const { signal } = (running = new AbortController());
    const costs = await costsOf(read(), signal).catch((): Costs => ({ kind: 'unanswered' }));
    if (signal.aborted) return undefined;
    running = undefined;
    latest = costs;
    show(costs);
    const againMs = isFree(costs) || costs.kind === 'live' ? RECHECK_MS : thenMs;
    if (costs.kind === 'unanswered') planIn(RETRY_MS);
    else if (againMs !== undefined) planIn(againMs);
    return costs;
  }

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    running?.abort();
  }

  /** Asks once nobody has typed for a moment, and not before somebody looks at the page. */
  function planIn(pauseMs: number, thenMs?: number): void {
    cancel();
    timer = window.setTimeout(() => {
      if (!document.hidden) void find(thenMs);
    }, pauseMs);
  }

  document.addEventListener('visibilitychange', () => {
    if (timer !== undefined && !document.hidden) void find();
  });

  return {
    /** `isStopped`: a run was, and what it has asked upstream is still to come. */
    plan(isStopped = false): void {
      latest = undefined;
      planIn(PAUSE_MS, isStopped ? STOPPED_MS : undefined);
    },
    /** For an editor that has taken the place of another one; what is asked for already is shown when it comes. */
    showAgain(): void {
      if (latest) show(latest);
    },
    /** Asks at once. Undefined where something else was asked meanwhile. */
    now(): Promise<Costs | undefined> {
      latest = undefined;
      return find();
    },
  };
}

async function costsOf(asked: Asked | undefined, signal: AbortSignal): Promise<Costs> {
  const operation = asked && operationNamed(readDocument(asked.query) ?? [], asked.operationName);
  if (!operation) return { kind: 'unknown' };
  const { query, variables, headers } = asked;
  if (operation.kind === 'subscription') return liveUnlessLocked(headers, signal);
  const of = (sent: Sent) => dryRun({ ...sent, variables }, headers, signal);
  const { estimate, answer } = await of({ query, operationName: operation.name });
  if (!estimate) return { kind: 'refused', answer };
  const whole = { estimate, refusal: refusalIn(answer) };
  const fields = await fieldCosts(operation.fields, whole, of);
  return { kind: 'known', whole: estimate, refusal: whole.refusal, fields, answer };
}

/** Live updates have no price, but perhaps nobody may ask for them without a key. */
async function liveUnlessLocked(headers: Asked['headers'], signal: AbortSignal): Promise<Costs> {
  const { answer } = await dryRun({ query: '{ __typename }' }, headers, signal);
  return { kind: isUnauthenticated(answer) ? 'refused' : 'live', answer };
}

type AskDryRun = (sent: Sent) => ReturnType<typeof dryRun>;

/** One alone costs what the operation does, and where all of them cost nothing each does: only else each is asked for. */
async function fieldCosts(
  fields: readonly TopField[],
  whole: Whole,
  of: AskDryRun,
): Promise<FieldCost[]> {
  if (fields.length > MOST_FIELDS) return [];
  if (fields.length === 1 || costsNothing(whole))
    return fields.map((field) => ({ ...named(field), ...whole }));
  const costs = await Promise.all(fields.map((field) => costOf(field, of)));
  return costs.filter((cost) => cost !== undefined);
}

const named = ({ name, line }: TopField) => ({ name, line });

/** Undefined where the gateway refuses the field alone. */
async function costOf(field: TopField, of: AskDryRun): Promise<FieldCost | undefined> {
  const { estimate, answer } = await of({ query: field.query });
  return estimate && { ...named(field), estimate, refusal: refusalIn(answer) };
}
