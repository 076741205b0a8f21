import { randomUUID } from 'node:crypto';
import { type Clock, HOUR_MS, hourAt, monthAt } from '../../time.ts';
import { type Ended, noteEnd, take } from '../account.ts';
import { compareWithBalance, tellsAll } from '../stated-balance.ts';
import { createHistory } from '../history.ts';
import { correctionAt } from '../attribution.ts';
import { inodeOf } from './file.ts';
import { moveLedger, openLedger, setBusyTimeout } from './ledger-file.ts';
import { PATIENT_MS } from './start.ts';
import type { StoredAccount, UnitTables, Writer } from './unit-tables.ts';
import type { AccountId, Applied, Change, Purpose, UnitStore } from '../units.ts';

/** Units counted in a SQLite file, or in memory: by the processes of one machine. */

export interface SqliteUnitsOptions {
  /** `:memory:` for none. */
  path: string;
  now: Clock;
  onTrouble: UnitsTrouble;
}

export interface UnitsTrouble {
  /** Called when the file was removed or replaced while it was open: what was counted is in the new one. */
  moved?(): void;
  /** Called once when the file cannot be used for longer than a moment, with the reason. */
  begins(reason: string): void;
  /** Called when it can be used again. */
  ends(): void;
}

const IN_MEMORY = ':memory:';
/** Failures of a moment are told to nobody. */
const MAX_FAILURES = 2;
/** Who has said nothing for so long has no request under way. */
const DEAD_AFTER_MS = 120_000;

interface SqliteUnits extends UnitStore {
  /** Nothing is left to store when it returns. */
  close(): void;
}

/** Throws where the file cannot be opened. */
export function unitsInSqlite({ path, now, onTrouble }: SqliteUnitsOptions): SqliteUnits {
  let ledger = openLedger(path);
  const history = createHistory({
    write: (name, slot, values) => ledger.history.write(name, slot, values),
    read: (name, fromSlot) => ledger.history.read(name, fromSlot),
  });
  const writer = randomUUID();
  const removeOld = onceAnHour(now, (hour) => {
    // The month before may still be going on in another time zone.
    const month = monthAt(now() - 40 * 24 * HOUR_MS, 'UTC');
    ledger.tables.removeOld(hour, month);
  });
  let failures = 0;

  /** Goes on in another file where the name is that of another one, or of none. Throws where that cannot be done now. */
  function follow(): void {
    if (path === IN_MEMORY || inodeOf(path) === ledger.inode) return;
    ledger = moveLedger(ledger, path);
    onTrouble.moved?.();
  }

  function noteFailure(error: unknown): undefined {
    failures += 1;
    if (failures === MAX_FAILURES) onTrouble.begins(String(error));
  }

  function noteSuccess(): void {
    if (failures >= MAX_FAILURES) onTrouble.ends();
    failures = 0;
  }

  function change(id: AccountId, made: Change): Applied {
    const { tables } = ledger;
    const account = tables.read(id);
    const last = account.writers[writer];
    const isRepeated = last?.number === made.number;
    const applied = isRepeated
      ? { taken: last.shares ?? [], elsewhere: 0 }
      : applyChange({ tables, id, account }, writer, made, now());
    if (!isRepeated) tables.write(id, account);
    removeOld();
    return { ...applied, account, advance: 0, setAside: 0, waitMs: undefined };
  }

  return {
    history,
    maxFailures: MAX_FAILURES,
    beatMs: undefined,
    apply(id, made) {
      try {
        follow();
        ledger.forget();
        const applied = ledger.tables.inTransaction(() => change(id, made));
        noteSuccess();
        return applied;
      } catch (error) {
        return noteFailure(error);
      }
    },
    read: (id) => orUnknown(() => ledger.read(id)),
    readCounter: (id, counter) => orUnknown(() => ledger.tables.counter(id, counter)),
    spent: (from, to) => Promise.resolve(orUnknown(() => ledger.tables.spent(from, to))),
    beginClose: () => setBusyTimeout(ledger, PATIENT_MS),
    close() {
      if (!ledger.db.isOpen) return;
      orUnknown(follow);
      history.flush();
      ledger.db.close();
    },
  };
}

/** An account that is open in a transaction. */
interface Opened {
  tables: UnitTables;
  id: AccountId;
  account: StoredAccount;
}

function applyChange(opened: Opened, writer: string, change: Change, now: number) {
  const { account } = opened;
  for (const ended of change.ended) {
    noteEnd(account, ended, now);
    book(opened, ended.purpose, ended.units - ended.reserved);
  }
  for (const { purpose, requests, cost } of change.spent) {
    account.used += requests * cost;
    book(opened, purpose, requests * cost);
  }
  const { [writer]: _own, ...others } = livingWriters(account, now);
  const underWay = Object.values(others).reduce((sum, one) => sum + one.underWay, change.underWay);
  // Only the balance of the last one can tell what all of them cost.
  const last = change.ended.at(-1);
  const elsewhere =
    last && tellsAll(account, last) && underWay === 0 ? compare(opened, last, now) : 0;
  const shares = takeAll(opened, change, now);
  const taken = shares.reduce((sum, requests) => sum + requests, 0);
  const { number } = change;
  const own: Writer = { number, taken, shares, underWay: change.underWay + taken, at: now };
  account.writers = { ...others, [writer]: own };
  return { taken: shares, elsewhere };
}

/** Takes what is wanted, as far as the budgets of who pays for it, and the limit, let it. */
function takeAll(opened: Opened, { take: wanted, limit, look }: Change, now: number): number[] {
  const { tables, id, account } = opened;
  return wanted.map(({ purpose, requests, cost }) => {
    const { client, budgets } = purpose;
    const rooms = budgets.map((one) => one.limit - tables.counter(id, { client, ...one }));
    const most = Math.min(requests, ...rooms.map((room) => Math.floor(room / cost)));
    const taken = take(account, { requests: most, cost, limit, look }, now);
    book(opened, purpose, taken * cost);
    return taken;
  });
}

function compare(opened: Opened, last: Ended, now: number): number {
  const before = opened.account.used;
  const elsewhere = compareWithBalance(opened.account, last);
  book(opened, correctionAt(now), opened.account.used - before);
  return elsewhere;
}

/** Counts units, or units given back, where they belong. */
function book({ tables, id }: Opened, purpose: Purpose, units: number): void {
  if (units === 0) return;
  tables.attribute(id.meter, purpose, units);
  const { client, budgets } = purpose;
  for (const { window } of budgets) tables.count(id, { client, window }, units);
}

/** One that wrote in times to come had a clock that was ahead: it is dead, or writes again soon. */
function livingWriters({ writers }: StoredAccount, now: number): Record<string, Writer> {
  const isAlive = ({ at }: Writer) => Math.abs(now - at) < DEAD_AFTER_MS;
  const living = Object.entries(writers).filter(([, writer]) => isAlive(writer));
  return Object.fromEntries(living);
}

/** Undefined where the file cannot be read now. */
function orUnknown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function onceAnHour(now: Clock, task: (hour: number) => void): () => void {
  let done = -Infinity;
  return () => {
    const hour = hourAt(now());
    if (hour === done) return;
    done = hour;
    task(hour);
  };
}
