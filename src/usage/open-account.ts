import type { Maybe } from '../maybe.ts';
import { type Account, newAccount } from '../shared/account.ts';
import type { AccountId, Applied, CounterId, EndedFor } from '../shared/units.ts';
import type { LedgerOptions } from './units.ts';
import { createClosing } from './closing.ts';
import { createCounters } from './counters.ts';
import { createDelay, createDelivery } from './delivery.ts';
import { changeOf, emptyChange, grouped, isNothing, numbersOf, withUnsaid } from './pending.ts';
import {
  costOf,
  createTaker,
  isServed,
  isTaken,
  isWaiting,
  type Priced,
  refusalOf,
  type Refused,
  type Taken,
  type Taker,
} from './takers.ts';

/**
 * One meter in one month, as this process uses it: what it takes and gives back goes to the store, one change at a
 * time. What is said while one is on its way goes with the next; while the store cannot be used, changes wait.
 */
export interface OpenAccount {
  readonly id: AccountId;
  /** What is known now, with what is not stored yet. */
  view(): Account;
  /** Whether the upstream has refused for lack of units, and it is too early to ask again. */
  isClosed(): boolean;
  /** What a client has spent in a window of it. */
  spentIn(counter: CounterId): number;
  /** Takes what a request is expected to cost. */
  take(request: Priced): Maybe<Taken | Refused>;
  /** A request for which units were taken has ended. */
  end(ended: EndedFor): void;
  /** Looks what other processes have said, if nothing is on its way. */
  refresh(): void;
  /** Hands over a change, even if it is an empty one. */
  beat(): void;
  /** Resolves once everything is stored or the tries are used up, with the number of units the store may have missed. */
  settled(isOfThisMonth: boolean): Promise<number>;
}

interface OpenAccountOptions extends Pick<
  LedgerOptions,
  'store' | 'now' | 'monotonic' | 'onSpentElsewhere'
> {
  limit: number | undefined;
}

/** Ends of requests are gathered for so long before they are handed over. */
const ENDINGS_WAIT_MS = 10;
/** At the end, when nobody is served. */
const LAST_TRIES = 3;

export function openAccount(id: AccountId, options: OpenAccountOptions): OpenAccount {
  const { store, limit, now, monotonic, onSpentElsewhere } = options;
  const closing = createClosing(now, monotonic);
  const delivery = createDelivery(id, store, { onApplied, onPatienceLost: goOnWithout });
  const unsaid = () => [sent, next];
  const read = (counter: CounterId) => store.readCounter(id, counter);
  const counters = createCounters({ read, unsaid, monotonic });
  const pause = createDelay(flush);
  /** Nobody waits to hear that a request ended as it was expected to. */
  const endings = createDelay(flush);
  let seen = newAccount();
  let view = seen;
  /** Units that may be spent while the store cannot be used: what it does not know of is spent of them. */
  let advance = 0;
  let underWay = 0;
  let changes = 0;
  let next = emptyChange();
  /** What the change says that is on its way. */
  let sent = emptyChange();

  function project(): void {
    view = withUnsaid(seen, unsaid(), now());
    closing.note(view.closedUntil);
  }

  function answer(taker: Taker, given: Taken | Refused): void {
    if (isTaken(given)) underWay += 1;
    taker.answer = given;
    taker.resolve(given);
  }

  function flush(): void {
    if (!pause.isOn() && !isNothing(next)) handOver();
  }

  function handOver(): void {
    if (delivery.isBusy()) return;
    sent = grouped(next);
    next = emptyChange();
    changes += 1;
    const look = closing.isOver() ? seen.closedUntil : undefined;
    delivery.begin({ number: changes, limit, look, ...changeOf(sent), underWay, held: advance });
  }

  function onApplied(applied: Applied): void {
    const { takers } = sent;
    sent = emptyChange();
    ({ account: seen, advance } = applied);
    counters.forget();
    const numbers = numbersOf(applied);
    for (const [i, group] of takers.entries()) share(group, numbers[i] ?? [], applied);
    advance = Math.max(0, advance - costOf(next.spent));
    if (applied.waitMs !== undefined && next.takers.length > 0) pause.begin(applied.waitMs);
    project();
    if (applied.elsewhere > 0) onSpentElsewhere(id.meter, applied.elsewhere);
    flush();
  }

  /** Who went on without the store comes first: what it spent is spent. */
  function share(group: Taker[], numbers: number[], applied: Applied): void {
    const { purpose, cost } = group[0]!;
    for (const _ of group.filter(isServed))
      if (numbers.shift() === undefined) next.spent.push({ purpose, cost });
    for (const taker of group.filter(isWaiting)) {
      const sentAs = numbers.shift();
      if (sentAs !== undefined) answer(taker, { sentAs });
      else refuse(taker, applied);
    }
    // Nobody waits for these any more.
    for (const sentAs of numbers) next.ended.push({ sentAs, purpose, reserved: cost, units: 0 });
  }

  /** There may be units later, unless it was the client's budget: another process may have given some back. */
  function refuse(taker: Taker, applied: Applied): void {
    if (counters.isOverBudget(taker)) answer(taker, 'OVER_BUDGET');
    else if (applied.waitMs !== undefined) next.takers.push([taker]);
    else answer(taker, refusalOf(taker, applied, limit));
  }

  function goOnWithout(): void {
    for (const taker of [...sent.takers, ...next.takers].flat()) serveWithout(taker);
    next.spent.push(...next.takers.flat().filter(isServed));
    next.takers = [];
    project();
  }

  /** Money fails closed: only what was granted before is spent of a limit, and nothing of a client's budget. */
  function serveWithout(taker: Taker): void {
    if (!isWaiting(taker)) return;
    const isPaid = limit === undefined || advance >= taker.cost;
    const mayServe = taker.purpose.budgets.length === 0 && isPaid;
    if (mayServe && limit !== undefined) advance -= taker.cost;
    answer(taker, mayServe ? { sentAs: view.lastSent } : 'UNCERTAIN');
  }

  return {
    id,
    view: () => view,
    spentIn: counters.spentIn,
    isClosed: () => !closing.isOver(),
    take(request) {
      if (!closing.isOver()) return 'EXHAUSTED';
      if (counters.isOverBudget(request)) return 'OVER_BUDGET';
      const taker = createTaker(request);
      next.takers.push([taker]);
      flush();
      // The store may be there again by now.
      if (isWaiting(taker) && delivery.isOutOfPatience()) void delivery.tryNow();
      if (isWaiting(taker) && delivery.isOutOfPatience()) goOnWithout();
      return taker.answer ?? taker.promise;
    },
    end(ended) {
      underWay -= 1;
      next.ended.push(ended);
      // What was taken is counted. Where nothing else is under way a balance tells what others spend.
      const tells = ended.remaining !== undefined && underWay === 0;
      if (ended.units !== ended.reserved || ended.timedOut || tells) flush();
      else if (!endings.isOn()) endings.begin(ENDINGS_WAIT_MS);
      project();
    },
    refresh() {
      const found = delivery.isBusy() ? undefined : store.read(id);
      if (!found || found === seen) return;
      seen = found;
      counters.forget();
      project();
    },
    beat() {
      if (!pause.isOn()) handOver();
    },
    async settled(isOfThisMonth) {
      for (const one of [pause, endings]) one.end();
      for (let tries = 0; tries < LAST_TRIES; tries += 1) {
        // What was granted in advance is given back; accounts of earlier months may be forgotten by the store.
        advance = 0;
        if ((store.beatMs !== undefined && isOfThisMonth) || !isNothing(next)) handOver();
        await delivery.tryNow();
      }
      delivery.stop();
      return view.used - seen.used;
    },
  };
}
