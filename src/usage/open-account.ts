import type { Meter } from '../meters.ts';
import type { Maybe } from '../maybe.ts';
import { type Account, type Ended, newAccount, noteEnd } from '../shared/account.ts';
import type { AccountId, Applied, UnitStore } from '../shared/units.ts';
import type { Clock } from '../time.ts';
import { createClosing } from './closing.ts';
import { createDelivery } from './delivery.ts';
import {
  createTaker,
  isServed,
  isWaiting,
  type Refused,
  type Taken,
  type Taker,
} from './takers.ts';

/**
 * One meter in one month, as this process uses it: what it takes and gives back goes to the store that
 * counts for all processes, one change at a time. What is said while a change is on its way goes with
 * the next. While the store cannot be used, changes wait for it.
 */
export interface OpenAccount {
  readonly id: AccountId;
  /** What is known now, with what is not stored yet. */
  view(): Account;
  /** Whether the upstream has refused for lack of units, and it is too early to ask again. */
  isClosed(): boolean;
  /** Takes one unit. */
  take(): Maybe<Taken | Refused>;
  /** A request for which a unit was taken has ended. */
  end(ended: Ended): void;
  /** Looks what other processes have said, if nothing is on its way. */
  refresh(): void;
  /** Hands over a change, even if it is an empty one. */
  beat(): void;
  /** Resolves once all is stored, or cannot be. */
  settled(): Promise<void>;
}

export interface OpenAccountOptions {
  store: UnitStore;
  limit: number | undefined;
  now: Clock;
  monotonic: Clock;
  onSpentElsewhere: (meter: Meter, units: number) => void;
}

/** At the end, when nobody is served. */
const LAST_TRIES = 3;

/** What a change will say. */
interface Saying {
  takers: Taker[];
  spent: number;
  ended: Ended[];
}

const nothing = (): Saying => ({ takers: [], spent: 0, ended: [] });
const isNothing = ({ takers, spent, ended }: Saying) =>
  takers.length === 0 && spent === 0 && ended.length === 0;

export function openAccount(id: AccountId, options: OpenAccountOptions): OpenAccount {
  const { store, limit, now, monotonic, onSpentElsewhere } = options;
  const closing = createClosing(now, monotonic);
  const delivery = createDelivery(id, store, { onApplied, onPatienceLost: goOnWithout });
  let seen = newAccount();
  let view = seen;
  /** Units that may be spent while the store cannot be used. */
  let advance = 0;
  let underWay = 0;
  let changes = 0;
  let next = nothing();
  /** What the change says that is on its way. */
  let sent = nothing();
  let isPaused = false;

  function project(): void {
    view = { ...seen, timeouts: { ...seen.timeouts } };
    for (const ended of [...sent.ended, ...next.ended]) noteEnd(view, ended, now());
    view.used += sent.spent + next.spent + sent.takers.filter(isServed).length;
    closing.note(view.closedUntil);
  }

  function answer(taker: Taker, given: Taken | Refused): void {
    if (typeof given === 'object') underWay += 1;
    taker.answer = given;
    taker.resolve(given);
  }

  function flush(): void {
    if (!isPaused && !isNothing(next)) handOver();
  }

  function handOver(): void {
    if (delivery.isBusy()) return;
    sent = next;
    next = nothing();
    changes += 1;
    const look = closing.isOver() ? seen.closedUntil : undefined;
    const { takers, ...said } = sent;
    delivery.begin({ number: changes, take: takers.length, limit, look, ...said, underWay });
  }

  function onApplied(applied: Applied): void {
    const { takers } = sent;
    sent = nothing();
    ({ account: seen, advance } = applied);
    share(takers, applied);
    project();
    if (applied.elsewhere > 0) onSpentElsewhere(id.meter, applied.elsewhere);
    flush();
  }

  /** Who went on without the store comes first: what it spent is spent. */
  function share(takers: readonly Taker[], { taken, account, waitMs }: Applied): void {
    const numbers = Array.from({ length: taken }, (_, i) => account.lastSent - taken + 1 + i);
    for (const _ of takers.filter(isServed)) if (numbers.shift() === undefined) next.spent += 1;
    for (const taker of takers.filter(isWaiting)) {
      const sentAs = numbers.shift();
      if (sentAs !== undefined) answer(taker, { sentAs });
      else if (waitMs === undefined) answer(taker, 'EXHAUSTED');
      else next.takers.push(taker);
    }
    // Nobody waits for these any more.
    for (const sentAs of numbers) next.ended.push({ sentAs, units: 0 });
    if (waitMs !== undefined && next.takers.length > 0) pauseFor(waitMs);
  }

  function pauseFor(ms: number): void {
    isPaused = true;
    setTimeout(() => {
      isPaused = false;
      flush();
    }, ms).unref();
  }

  function goOnWithout(): void {
    for (const taker of sent.takers) serveWithout(taker);
    for (const taker of next.takers) {
      serveWithout(taker);
      if (isServed(taker)) next.spent += 1;
    }
    next.takers = [];
    project();
  }

  /** Money fails closed: where there is a limit only what was granted before is spent. */
  function serveWithout(taker: Taker): void {
    if (!isWaiting(taker)) return;
    const mayServe = limit === undefined || advance > 0;
    if (mayServe && limit !== undefined) advance -= 1;
    answer(taker, mayServe ? { sentAs: view.lastSent } : 'UNCERTAIN');
  }

  return {
    id,
    view: () => view,
    isClosed: () => !closing.isOver(),
    take() {
      if (!closing.isOver()) return 'EXHAUSTED';
      const taker = createTaker();
      next.takers.push(taker);
      flush();
      // The store may be there again by now.
      if (isWaiting(taker) && delivery.isOutOfPatience()) void delivery.tryNow();
      if (isWaiting(taker) && delivery.isOutOfPatience()) goOnWithout();
      return taker.answer ?? taker.promise;
    },
    end(ended) {
      underWay -= 1;
      next.ended.push(ended);
      flush();
      project();
    },
    refresh() {
      const read = delivery.isBusy() ? undefined : store.read(id);
      if (!read) return;
      seen = read;
      project();
    },
    beat() {
      if (!isPaused) handOver();
    },
    async settled() {
      isPaused = false;
      // What was granted in advance is given back.
      if (store.beatMs !== undefined) handOver();
      for (let tries = 0; tries < LAST_TRIES; tries += 1) {
        if (!isNothing(next)) handOver();
        await delivery.tryNow();
      }
      delivery.stop();
    },
  };
}
