import { METERS, type Meter, perMeter } from '../meters.ts';
import { type Maybe, whenReady } from '../maybe.ts';
import { type Account, affordable, affordableOnceCharged, unspent } from '../shared/account.ts';
import { costByBalance, uncertainUnits } from '../shared/stated-balance.ts';
import type { Allowance } from '../spending/allowance.ts';
import { hourAt, monthAt, startOfNextMonth } from '../time.ts';
import { openAccount, type OpenAccount } from './open-account.ts';
import { createBudgets } from './budgets.ts';
import { createCosts } from './costs.ts';
import { READ_AGAIN_MS } from './counters.ts';
import { isTaken, type Priced, type Refused, type Taken } from './takers.ts';
import type { Ledger, LedgerOptions, MeterState, Payer, Reservation, Spending } from './units.ts';

/** Creates the ledger over a store. Closing the ledger closes the store. */
export function createLedger(options: LedgerOptions): Ledger {
  const { store, limits, timeoutsCount, timezone, now, monotonic } = options;
  const accounts = new Map<Meter, OpenAccount>();
  /**
   * All accounts by month and meter. Those of earlier months are kept: their requests may still be in flight, and a
   * wall clock that is set back finds its account again, with its numbering of changes.
   */
  const all = new Map<string, OpenAccount>();
  const limitOf = (meter: Meter): number => limits[meter] ?? Infinity;
  const readAt = perMeter(() => -Infinity);
  const views: Partial<Record<Meter, Account>> = {};
  let version = 0;
  /** What was shown last, and its version. */
  let shown: Record<Meter, MeterState> | undefined;
  let shownVersion = -1;
  const costs = createCosts(monotonic);
  const budgets = createBudgets({
    spentIn: (meter, counter) => account(meter).spentIn(counter),
    readVersion,
    timezone,
    now,
  });

  /** A new month starts a new account: its count begins at zero, and an exhausted meter is open again. */
  function account(meter: Meter, month = monthAt(now(), timezone), at = monotonic()): OpenAccount {
    let found = accounts.get(meter);
    if (found?.id.month !== month) {
      const name = `${month} ${meter}`;
      found = all.get(name) ?? openAccount({ month, meter }, { ...options, limit: limits[meter] });
      accounts.set(meter, found);
      all.set(name, found);
      readAt[meter] = -Infinity;
    }
    if (at - readAt[meter] >= READ_AGAIN_MS) refresh(found);
    return found;
  }

  /** Reads what has been spent; returns another number than before if that may have changed. */
  function readVersion(at = monotonic()): number {
    const month = monthAt(now(), timezone);
    let isSame = true;
    for (const meter of METERS) {
      const view = account(meter, month, at).view();
      isSame &&= views[meter] === view;
      views[meter] = view;
    }
    if (!isSame) version += 1;
    return version;
  }

  function refresh(current: OpenAccount): void {
    current.refresh();
    readAt[current.id.meter] = monotonic();
  }

  /** Another process may have given units back: so nothing is refused before the store has been read again. */
  function left(meter: Meter, payer?: Payer, unitsIn = affordable): number {
    const current = account(meter);
    if (unspent(current.view(), limitOf(meter)) <= 0) refresh(current);
    const ofAll = current.isClosed() ? 0 : unitsIn(current.view(), limitOf(meter));
    return payer ? Math.min(ofAll, budgets.left(payer, meter)) : ofAll;
  }

  /** Reads the store again before it refuses, as `left` does: another process may have given units back. */
  function allows(meter: Meter, units: number, payer?: Payer): boolean {
    const current = account(meter);
    const isEnough = () => unspent(current.view(), limitOf(meter)) >= units;
    if (!isEnough()) refresh(current);
    return isEnough() && (!payer || budgets.left(payer, meter) >= units);
  }

  function reservation(
    current: OpenAccount,
    { sentAs }: Taken,
    { purpose, cost }: Priced,
  ): Reservation {
    const { meter } = current.id;
    const request = { sentAs, purpose, reserved: cost };
    return {
      end({ units: stated, ...how }) {
        const known = stated && costByBalance(current.view(), { sentAs, units: stated, ...how });
        if (known) costs.note(meter, purpose.dataset, known);
        const units = known ?? cost;
        current.end({ ...request, ...how, units, timedOut: known === undefined });
        return units;
      },
      endUnanswered() {
        const units = (timeoutsCount ?? limits[meter] !== undefined) ? cost : 0;
        current.end({ ...request, units, timedOut: true });
        return units;
      },
    };
  }

  function reserve(meter: Meter, spending: Spending): Maybe<Reservation | Refused> {
    const current = account(meter);
    const cost = costs.known(meter, spending.dataset) ?? 1;
    const request = { purpose: budgets.purpose(meter, spending), cost };
    return whenReady(current.take(request), (given) => {
      if (isTaken(given)) return reservation(current, given, request);
      // It may have waited into another day or month, which has units of its own.
      const isOfNow = account(meter) === current && hourAt(now()) === request.purpose.hour;
      return isOfNow ? given : reserve(meter, spending);
    });
  }

  const sendHeartbeats = () => METERS.forEach((meter) => account(meter).sendHeartbeat());
  let heartbeatTimer: NodeJS.Timeout | undefined;
  if (store.heartbeatMs !== undefined) {
    sendHeartbeats();
    heartbeatTimer = setInterval(sendHeartbeats, store.heartbeatMs).unref();
  }

  return {
    left: (meter, payer) => left(meter, payer),
    leftOnceCharged: (meter, payer) => left(meter, payer, affordableOnceCharged),
    usedUp(meter, units) {
      const limit = limitOf(meter);
      const view = account(meter).view();
      if (unspent(view, limit) >= units) return undefined;
      const resetsAt = startOfNextMonth(now(), timezone);
      return { limit, uncertain: uncertainUnits(view), resetsAt };
    },
    cost: costs.known,
    allows,
    allowance: (meter) => allowanceOf(account(meter).view(), limitOf(meter)),
    reserve,
    states(at) {
      if (readVersion(at) === shownVersion && shown) return shown;
      shownVersion = version;
      const states = perMeter((meter) => stateOf(views[meter]!, limits[meter]));
      return (shown = shown && areSame(shown, states) ? shown : states);
    },
    exceeded: budgets.exceeded,
    budgets: (payer, states) =>
      budgets.states(payer, states && states === shown ? shownVersion : undefined),
    spent: store.spent,
    async close() {
      clearInterval(heartbeatTimer);
      await store.beginClose();
      for (const one of all.values()) {
        const unstored = await one.settle(accounts.get(one.id.meter) === one);
        if (unstored > 0) options.onUnstored?.(one.id, unstored);
      }
      await store.close();
    },
  };
}

function allowanceOf(account: Account, limit: number): Allowance {
  const { used, remaining, total } = account;
  const ofLimit = unspent(account, limit);
  const least = Math.min(remaining ?? Infinity, ofLimit);
  const left = least === Infinity ? null : Math.max(0, least);
  if (remaining === null) return { used, left, elsewhere: 0, spare: 0, isStated: false };
  const elsewhere = Math.max(0, (total ?? 0) - used - remaining);
  const spare = Math.max(0, remaining - ofLimit);
  return { used, left, elsewhere, spare, isStated: left === remaining };
}

/** Returns a meter as clients see it. */
function stateOf(account: Account, limit: number | undefined): MeterState {
  const { used, remaining } = account;
  const ofLimit = limit === undefined ? null : Math.max(0, unspent(account, limit));
  return { usedThisMonth: used, limit: limit ?? null, remaining: remaining ?? ofLimit };
}

type States = Readonly<Record<Meter, MeterState>>;

/** Whether nothing has changed in between; limits never change. */
function areSame(before: States, after: States): boolean {
  return METERS.every((meter) => {
    const [a, b] = [before[meter], after[meter]];
    return a.usedThisMonth === b.usedThisMonth && a.remaining === b.remaining;
  });
}
