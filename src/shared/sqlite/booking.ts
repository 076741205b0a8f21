import { noteEnd, take } from '../account.ts';
import { correctionIn } from '../attribution.ts';
import {
  comparedAnew,
  compareWithBalance,
  includesAllSpent,
  paidByBalance,
} from '../stated-balance.ts';
import type { AccountId, Applied, Change, EndedFor, Purpose } from '../units.ts';
import type { StoredAccount, UnitTables, Writer } from './unit-tables.ts';

/** What a change does to an account in the file: it books the requests that have ended, and takes the units wanted. */

/** How long a process may be silent before it is presumed dead, with no request in flight. */
const DEAD_AFTER_MS = 120_000;

/** An account that is open in a transaction. */
interface Opened {
  tables: UnitTables;
  id: AccountId;
  account: StoredAccount;
}

/** Makes the change, as part of the transaction; `writer`: the process that makes it. */
export function applyChange(
  opened: Opened,
  writer: string,
  change: Change,
  now: number,
): Pick<Applied, 'taken' | 'elsewhere'> {
  const { account } = opened;
  bookSpent(opened, change, now);
  const { [writer]: _own, ...others } = livingWriters(account, now);
  const underWay = Object.values(others).reduce((sum, one) => sum + one.underWay, change.underWay);
  // Only the balance of the last request can tell what all of them cost.
  const last = change.ended.at(-1);
  const isAlone = Object.keys(others).length === 0;
  const elsewhere =
    last && includesAllSpent(account, last) && underWay === 0
      ? compare(opened, last, { now, isAlone })
      : 0;
  const shares = takeAll(opened, change, { now, underWay });
  const taken = shares.reduce((sum, requests) => sum + requests, 0);
  const { number } = change;
  const own: Writer = { number, taken, shares, underWay: change.underWay + taken, at: now };
  account.writers = { ...others, [writer]: own };
  return { taken: shares, elsewhere };
}

/** Books the requests that have ended, and those that were sent while the file could not be used. */
function bookSpent(opened: Opened, { ended: all, spent }: Change, now: number): void {
  const { account } = opened;
  for (const ended of all) {
    noteEnd(account, ended, now);
    book(opened, ended.purpose, ended.units - ended.reserved);
  }
  const late = spent.reduce((sum, { requests, cost }) => sum + requests * cost, 0);
  if (late > 0) {
    account.compared = comparedAnew(account, late);
    // They may have been what was missing.
    account.shortSince = null;
  }
  for (const { purpose, requests, cost } of spent) {
    account.used += requests * cost;
    book(opened, purpose, requests * cost);
  }
}

/** Takes the units wanted, as far as the limit, the balance and the budgets of the client that pays allow. */
function takeAll(
  opened: Opened,
  { take: wanted, limit, look }: Change,
  { now, underWay }: { now: number; underWay: number },
): number[] {
  const { tables, id, account } = opened;
  let inFlight = underWay;
  return wanted.map(({ purpose, requests, cost }) => {
    const { client, budgets } = purpose;
    const rooms = budgets.map((one) => one.limit - tables.counter(id, { client, ...one }));
    const paid = paidByBalance(account, cost, { underWay: inFlight, now });
    const maxRequests = Math.min(requests, paid, ...rooms.map((room) => Math.floor(room / cost)));
    const taken = take(account, { requests: maxRequests, cost, limit, look }, now);
    book(opened, purpose, taken * cost);
    inFlight += taken;
    return taken;
  });
}

function compare(opened: Opened, last: EndedFor, at: { now: number; isAlone: boolean }): number {
  const before = opened.account.used;
  const elsewhere = compareWithBalance(opened.account, last, at);
  book(opened, correctionIn(last.purpose.hour), opened.account.used - before);
  return elsewhere;
}

/** Attributes units (negative: given back) to their purpose, and counts them against its budgets. */
function book({ tables, id }: Opened, purpose: Purpose, units: number): void {
  if (units === 0) return;
  tables.attribute(id.meter, purpose, units);
  const { client, budgets } = purpose;
  for (const { window } of budgets) tables.count(id, { client, window }, units);
}

/**
 * Returns the writers that are alive. One that wrote in the future had a clock that was ahead: it is dead, or writes
 * again soon.
 */
function livingWriters({ writers }: StoredAccount, now: number): Record<string, Writer> {
  const isAlive = ({ at }: Writer) => Math.abs(now - at) < DEAD_AFTER_MS;
  const living = Object.entries(writers).filter(([, writer]) => isAlive(writer));
  return Object.fromEntries(living);
}
