import { type Allowance, allowances, isUsedUp, mayExceed } from './allowances.ts';
import { isUnauthenticated } from './client.ts';
import type { Costs, FieldCost } from './costs.ts';
import { type Answer, type Estimate, METERS, type Usage } from './document.ts';
import { byId, h, show } from './dom.ts';
import { clockWithZone } from './format.ts';
import { retrievedAt } from './series.ts';
import {
  costInWords,
  priceInWords,
  problemInWords,
  seconds,
  unitsInBrief,
  unitsInWords,
} from './words.ts';

/** Shows what the operation will cost, and what it did cost. */

interface Spent {
  /** On this machine's clock, in milliseconds since 1970; undefined if not known. */
  freshUntil: number | undefined;
  retrievedAt: number | undefined;
  isStaleReported?: boolean;
}

const LIVE = 'Live';
const CONNECTING = 'Reconnecting …';
const WAITS = 'updates that need a used-up allowance wait';
const STOPPED = 'requests already sent upstream are paid for, and their answers will be cached';

export function createCostBar(onStale: () => void) {
  const [price, fields, left] = [byId('price'), byId('price-fields'), byId('allowances')];
  const [cost, age] = [byId('cost'), byId('age')];
  const run = byId('run-cost');
  let spent: Spent | undefined;
  let updates = 0;

  /** Updates the age of the data, and how long the answer is still fresh. */
  function tick(): void {
    if (!spent) return;
    const now = Date.now();
    const parts: string[] = [];
    if (spent.retrievedAt !== undefined)
      parts.push(`data ${seconds((now - spent.retrievedAt) / 1000)} old`);
    if (spent.freshUntil !== undefined) {
      const rest = (spent.freshUntil - now) / 1000;
      parts.push(rest > 0 ? `asking again is free for ${seconds(rest)}` : 'no longer fresh');
      // The gateway rounds down to whole seconds, so the answer may be fresh for up to one second more.
      if (rest <= -1 && !spent.isStaleReported) {
        spent.isStaleReported = true;
        onStale();
      }
    }
    age.textContent = parts.join(' · ');
  }
  setInterval(tick, 1000);

  function clear(text: string, more: string): void {
    spent = undefined;
    show(cost, text);
    delete cost.dataset['free'];
    age.textContent = more;
  }

  function drawAllowances(all: readonly Allowance[]): void {
    left.replaceChildren(
      ...all.map(({ text, danger }) => h('li', { 'data-danger': danger }, text)),
    );
  }

  return {
    showPrice(costs: Costs, freshSeconds: number | undefined): void {
      const isKnown = costs.kind === 'known';
      const all = isKnown ? costs.fields : [];
      show(price, isKnown ? priceOf(costs, freshSeconds) : WORDS[costs.kind](costs));
      run.textContent = isKnown ? briefly(costs) : '';
      show(fields, ...(all.length > 1 && !all.every(isFree) ? all.map(fieldItem) : []));
      const usage = usageOf(costs);
      const whole = isKnown ? costs.whole : undefined;
      if (usage) drawAllowances(allowances(usage, whole));
      const isOver = isKnown && (costs.refusal !== undefined || isShort(usage, costs.whole));
      byId('ask').dataset['danger'] = isOver ? 'over' : 'none';
    },
    /** Does nothing if the answer has no account of its costs (`extensions.usage`). */
    showCost({ data, extensions }: Answer, freshSeconds: number | undefined): void {
      const usage = extensions?.usage;
      if (!usage) return;
      const freshUntil = freshSeconds === undefined ? undefined : Date.now() + freshSeconds * 1000;
      spent = { freshUntil, retrievedAt: retrievedAt(data) };
      cost.textContent = costInWords(usage);
      cost.dataset['free'] = String(METERS.every((meter) => usage[meter].used === 0));
      drawAllowances(allowances(usage, undefined));
      tick();
    },
    /** Shows no cost until the next answer. */
    clearCost(): void {
      updates = 0;
      clear('', '');
    },
    /** Counts one more update, without having a screen reader announce each. */
    showLive({ extensions }: Answer): void {
      updates += 1;
      const times = updates === 1 ? '1 update' : `${updates} updates`;
      const usage = extensions?.usage;
      const waits = usage && isUsedUp(usage) ? ` · ${WAITS}` : '';
      clear(LIVE, `${times}, the last at ${clockWithZone(Date.now())}${waits}`);
      if (usage) drawAllowances(allowances(usage, undefined));
    },
    /** Shows that the updates have broken off and the page connects again. */
    showBreak(): void {
      cost.textContent = CONNECTING;
    },
    /**
     * Shows that updates have ended, even if the gateway ended them: they must not pass for live. `isStopped`: whether
     * somebody stopped the run, perhaps before an answer came.
     */
    end(isStopped: boolean): void {
      if (cost.textContent === LIVE || cost.textContent === CONNECTING)
        cost.textContent = 'No longer live';
      else if (isStopped && cost.textContent === '') clear('Stopped', STOPPED);
    },
  };
}

export const usageOf = (costs: Costs) =>
  'answer' in costs ? costs.answer.extensions?.usage : undefined;

export const isShort = (usage: Usage | undefined, estimate: Estimate) =>
  usage !== undefined && mayExceed(usage, estimate);

type Known = Extract<Costs, { kind: 'known' }>;

const isPaid = ({ whole }: Known) => METERS.some((meter) => whole.most[meter] > 0);

/** The price in words. A refused operation costs nothing, but not because it is cached. */
function priceOf(costs: Known, freshSeconds: number | undefined): string {
  const { whole, refusal, fields, isComplete } = costs;
  if (refusal === undefined) return priceInWords(whole, freshSeconds);
  if (isPaid(costs)) return `Refused in part: ${refusal}. The rest costs ${unitsInWords(whole)}.`;
  if (fields.some((field) => field.refusal === undefined))
    return `Refused in part: ${refusal}. The rest costs nothing now.`;
  return isComplete
    ? `Will be refused: ${refusal}.`
    : `Will be refused, at least in part: ${refusal}. The rest costs nothing now.`;
}

const briefly = (costs: Known) =>
  costs.refusal === undefined || isPaid(costs) || !costs.isComplete
    ? unitsInBrief(costs.whole)
    : 'refused';

const WORDS: Record<Exclude<Costs['kind'], 'known'>, (costs: Costs) => string> = {
  unknown: () => '',
  unanswered: () => 'The gateway does not answer.',
  live: (costs) => {
    const usage = usageOf(costs);
    const waits = usage && isUsedUp(usage) ? `; ${WAITS}` : '';
    return `Live updates are paid once for all subscribers${waits}.`;
  },
  // The form that asks for a key says that one is missing.
  refused: (costs) =>
    costs.kind === 'refused' && !isUnauthenticated(costs.answer)
      ? (costs.answer.errors ?? []).slice(0, 1).map(problemInWords).join('')
      : '',
};

const isFree = ({ estimate, refusal }: FieldCost) =>
  refusal === undefined && unitsInWords(estimate) === '';

const fieldItem = ({ name, estimate, refusal }: FieldCost) =>
  h('li', {}, h('b', {}, name), ` ${refusal ? 'refused' : unitsInWords(estimate) || 'nothing'}`);
