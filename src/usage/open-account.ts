import type { Maybe } from '../maybe.ts';
import { type Account, newAccount } from '../shared/account.ts';
import type { AccountId, Applied, CounterId, EndedFor } from '../shared/units.ts';
import type { LedgerOptions } from './units.ts';
import { createClosing } from './closing.ts';
import { createCounters } from './counters.ts';
import { createDelay, createDelivery } from './delivery.ts';
import { changeOf, emptyChange, grouped, isEmpty, numbersOf, withUnstored } from './pending.ts';
import {
  costOf,
  createTaker,
  isServed,
  isTaken,
  isWaiting,
  mayWait,
  type Priced,
  refusalOf,
  type Refused,
  type Taken,
  type Taker,
} from './takers.ts';

/**
 * One meter in one month, as this process uses it: what it takes and gives back goes to the store, one change at a
 * time. What comes up while one is in flight goes with the next; while the store cannot be used, changes wait.
 */
export interface OpenAccount {
  readonly id: AccountId;
  /** Returns what is known now, including what is not stored yet. */
  view(): Account;
  /** Whether the meter is closed for lack of units, and it is too early to probe it. */
  isClosed(): boolean;
  /** Returns what a client has spent of it in a window. */
  spentIn(counter: CounterId): number;
  /** Takes the expected cost of a request. */
  take(request: Priced): Maybe<Taken | Refused>;
  /** Called when a request has ended for which units were taken. */
  end(ended: EndedFor): void;
  /** Reads what other processes have said, unless a change is in flight. */
  refresh(): void;
  /** Hands over a change, even if it is an empty one. */
  sendHeartbeat(): void;
  /** Resolves once everything is stored or retries are used up, to the number of units the store may have missed. */
  settle(isOfThisMonth: boolean): Promise<number>;
}

type FromLedger = Pick<LedgerOptions, 'store' | 'now' | 'monotonic' | 'onSpentElsewhere'>;
type OpenAccountOptions = FromLedger & { limit: number | undefined };

/** How long ends of requests are gathered before they are handed over. */
const ENDINGS_WAIT_MS = 10;
/** How many times changes are handed over on closing, when nobody is served any more. */
const CLOSING_TRIES = 3;

export function openAccount(id: AccountId, options: OpenAccountOptions): OpenAccount {
  const { store, limit, now, monotonic, onSpentElsewhere } = options;
  const closing = createClosing(now, monotonic);
  const delivery = createDelivery(id, store, { onApplied, onTooManyFailures: goOnWithoutStore });
  const unstored = () => [sent, next];
  const read = (counter: CounterId) => store.readCounter(id, counter);
  const counters = createCounters({ read, unstored, monotonic });
  const pause = createDelay(flush);
  /** Delays what nobody waits for: that a request ended as expected. */
  const endings = createDelay(flush);
  let seen = newAccount();
  let view = seen;
  /** Units that may be spent while the store cannot be used, less what was spent of them without it. */
  let advance = 0;
  let underWay = 0;
  let changes = 0;
  let next = emptyChange();
  /** What the change in flight says. */
  let sent = emptyChange();

  function project(): void {
    view = withUnstored(seen, unstored());
    closing.note(view.closedUntil);
  }

  function answer(taker: Taker, given: Taken | Refused): void {
    if (isTaken(given)) underWay += 1;
    taker.answer = given;
    taker.resolve(given);
  }

  function flush(): void {
    if (!pause.isOn() && !isEmpty(next)) handOver();
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

  /** Gives a group its numbers, first to takers that went on without the store: what they spent is spent. */
  function share(group: Taker[], numbers: number[], applied: Applied): void {
    const { purpose, cost } = group[0]!;
    for (const _ of group.filter(isServed))
      if (numbers.shift() === undefined) next.spent.push({ purpose, cost });
    for (const taker of group.filter(isWaiting)) {
      const sentAs = numbers.shift();
      if (sentAs !== undefined) answer(taker, { sentAs });
      else refuse(taker, applied);
    }
    // Nobody waits for the rest any more.
    const unsent = { purpose, reserved: cost, units: 0, noticedAt: now() };
    for (const sentAs of numbers) next.ended.push({ sentAs, ...unsent });
  }

  /** Refuses, or lets the taker wait: unless a budget is used up, another process may give units back. */
  function refuse(taker: Taker, applied: Applied): void {
    if (counters.isOverBudget(taker)) answer(taker, 'OVER_BUDGET');
    else if (mayWait(taker, monotonic(), applied.waitMs)) next.takers.push([taker]);
    else answer(taker, refusalOf(taker, applied, limit));
  }

  function goOnWithoutStore(): void {
    for (const taker of [...sent.takers, ...next.takers].flat()) serveWithoutStore(taker);
    next.spent.push(...next.takers.flat().filter(isServed));
    next.takers = [];
    project();
  }

  /** Fails closed: of a limit, only what was granted in advance is spent; of a client's budget, nothing. */
  function serveWithoutStore(taker: Taker): void {
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
      const taker = createTaker(request, monotonic());
      next.takers.push([taker]);
      flush();
      // The store may be back by now.
      if (isWaiting(taker) && delivery.hasFailedTooOften()) void delivery.tryNow();
      if (isWaiting(taker) && delivery.hasFailedTooOften()) goOnWithoutStore();
      return taker.answer ?? taker.promise;
    },
    end(ended) {
      underWay -= 1;
      next.ended.push({ ...ended, noticedAt: now() });
      // Its units are counted already: this may wait, unless it changes the count or shows what others spend.
      const mayShowOthers = ended.remaining !== undefined && underWay === 0;
      if (ended.units !== ended.reserved || ended.timedOut || mayShowOthers) flush();
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
    sendHeartbeat() {
      if (!pause.isOn()) handOver();
    },
    async settle(isOfThisMonth) {
      for (const one of [pause, endings]) one.end();
      for (let tries = 0; tries < CLOSING_TRIES; tries += 1) {
        if (delivery.hasFailedTooOften()) await store.beginClose();
        // What was granted in advance is given back; accounts of earlier months may be forgotten by the store.
        advance = 0;
        if ((store.heartbeatMs !== undefined && isOfThisMonth) || !isEmpty(next)) handOver();
        await delivery.tryNow();
      }
      delivery.stop();
      return view.used - seen.used;
    },
  };
}
