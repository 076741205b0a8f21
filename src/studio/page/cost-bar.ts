import { type Allowance, allowances, isUsedUp, takesAll } from './allowances.ts';
import { isUnauthenticated } from './client.ts';
import type { Costs, FieldCost } from './costs.ts';
import { type Answer, type Estimate, METERS, type Usage } from './document.ts';
import { byId, h, show } from './dom.ts';
import type { LineNote } from './editor.ts';
import { clockWithZone } from './format.ts';
import { retrievedAt } from './series.ts';
import {
  costInWords,
  priceInWords,
  problemInWords,
  seconds,
  unitsInBrief,
  unitsInShort,
  unitsInWords,
} from './words.ts';

/** What the operation will cost, and what it did cost. */

interface Spent {
  /** On this machine's clock, in milliseconds since 1970; undefined where nobody knows. */
  freshUntil: number | undefined;
  retrievedAt: number | undefined;
  isStaleTold?: boolean;
}

const LIVE = 'Live';
const CONNECTING = 'Connecting again …';
const WAITS = 'those that need what is used up wait';
const STOPPED = 'what was asked upstream by then is paid, and will be in the cache';

export function createCostBar(onStale: () => void) {
  const [price, fields, left] = [byId('price'), byId('price-fields'), byId('allowances')];
  const [cost, age] = [byId('cost'), byId('age')];
  const run = byId('run-cost');
  let spent: Spent | undefined;
  let updates = 0;

  /** Freshness runs down while one looks at it. */
  function tick(): void {
    if (!spent) return;
    const now = Date.now();
    const parts: string[] = [];
    if (spent.retrievedAt !== undefined)
      parts.push(`data ${seconds((now - spent.retrievedAt) / 1000)} old`);
    if (spent.freshUntil !== undefined) {
      const rest = (spent.freshUntil - now) / 1000;
      parts.push(rest > 0 ? `asked again within ${seconds(rest)}: nothing` : 'no longer fresh');
      // The gateway rounds down to whole seconds: until one later it may still be fresh.
      if (rest <= -1 && !spent.isStaleTold) {
        spent.isStaleTold = true;
        onStale();
      }
    }
    age.textContent = parts.join(' · ');
  }
  setInterval(tick, 1000);

  function clear(text: string, more: string): void {
    spent = undefined;
    cost.textContent = text;
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
      show(fields, ...(all.length > 1 ? all.map(fieldItem) : []));
      const usage = usageOf(costs);
      const whole = isKnown ? costs.whole : undefined;
      if (usage) drawAllowances(allowances(usage, whole));
      const isOver = isKnown && (costs.refusal !== undefined || isShort(usage, costs.whole));
      byId('ask').dataset['danger'] = isOver ? 'over' : 'none';
    },
    /** Nothing where the answer has no account. */
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
    /** Until there is an account. */
    clearCost(): void {
      updates = 0;
      clear('', '');
    },
    /** For another question: where the gateway is silent nothing takes the place of what the one before costs. */
    forget(): void {
      this.clearCost();
      this.showPrice({ kind: 'unknown' }, undefined);
    },
    /** One more update has come; that is not read out each time. */
    showLive({ extensions }: Answer): void {
      updates += 1;
      const times = updates === 1 ? '1 update' : `${updates} updates`;
      const usage = extensions?.usage;
      const waits = usage && isUsedUp(usage) ? ` · ${WAITS}` : '';
      clear(LIVE, `${times}, the last at ${clockWithZone(Date.now())}${waits}`);
      if (usage) drawAllowances(allowances(usage, undefined));
    },
    /** The updates have broken off, and are asked for again. */
    showBreak(): void {
      cost.textContent = CONNECTING;
    },
    /**
     * Nobody must take for live what has ended, be it that the gateway has ended it. `isStopped`: by somebody, perhaps
     * before anything was told.
     */
    end(isStopped: boolean): void {
      if (cost.textContent === LIVE || cost.textContent === CONNECTING)
        cost.textContent = 'No longer live';
      else if (isStopped && cost.textContent === '') clear('Stopped', STOPPED);
    },
  };
}

const usageOf = (costs: Costs) => ('answer' in costs ? costs.answer.extensions?.usage : undefined);

const isShort = (usage: Usage | undefined, estimate: Estimate) =>
  usage !== undefined && takesAll(usage, estimate);

type Known = Extract<Costs, { kind: 'known' }>;

const isPaid = ({ whole }: Known) => METERS.some((meter) => whole.most[meter] > 0);

/** What is refused costs nothing, and is not in the cache either. */
function priceOf(costs: Known, freshSeconds: number | undefined): string {
  const { whole, refusal, fields } = costs;
  if (refusal === undefined) return priceInWords(whole, freshSeconds);
  if (isPaid(costs)) return `Refused in part: ${refusal}. The rest: ${unitsInWords(whole)}.`;
  return fields.some((field) => field.refusal === undefined)
    ? `Refused in part: ${refusal}. The rest costs nothing now.`
    : `Will be refused: ${refusal}.`;
}

const briefly = (costs: Known) =>
  costs.refusal === undefined || isPaid(costs) ? unitsInBrief(costs.whole) : 'refused';

const WORDS: Record<Exclude<Costs['kind'], 'known'>, (costs: Costs) => string> = {
  unknown: () => '',
  unanswered: () => 'The gateway does not answer.',
  live: (costs) => {
    const usage = usageOf(costs);
    const waits = usage && isUsedUp(usage) ? `; ${WAITS}` : '';
    return `Live updates are paid once for all who listen${waits}.`;
  },
  // That a key is missing is told by the form that asks for it.
  refused: (costs) =>
    costs.kind === 'refused' && !isUnauthenticated(costs.answer)
      ? (costs.answer.errors ?? []).slice(0, 1).map(problemInWords).join('')
      : '',
};

const fieldItem = ({ name, estimate, refusal }: FieldCost) =>
  h('li', {}, h('b', {}, name), ` ${refusal ? 'refused' : unitsInWords(estimate) || 'nothing'}`);

/** What stands beside the lines of fields. */
export function notesOf(costs: Costs): Map<number, LineNote> {
  if (costs.kind !== 'known') return new Map();
  const usage = usageOf(costs);
  return new Map(
    costs.fields.map(({ name, line, estimate, refusal }): [number, LineNote] => {
      if (refusal !== undefined)
        return [line, { text: 'refused', kind: 'over', title: `${name}: ${refusal}` }];
      const text = unitsInShort(estimate);
      const kind = text === 'free' ? 'free' : isShort(usage, estimate) ? 'over' : 'paid';
      return [
        line,
        { text, kind, title: `${name}: ${unitsInWords(estimate) || 'costs nothing now'}` },
      ];
    }),
  );
}
