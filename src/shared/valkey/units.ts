import { randomUUID } from 'node:crypto';
import { parseJson } from '../../json.ts';
import { hourAt } from '../../time.ts';
import type { Server } from './server.ts';
import { historyInValkey } from './history.ts';
import { correctionIn } from '../attribution.ts';
import { dayOf, readSpent } from './spent.ts';
import type { Trouble } from './trouble.ts';
import type { AccountId, Applied, Change, Counted, Purpose, UnitStore } from '../units.ts';
import { knownOf, type Known, noteAsking, nothingKnown } from './known-account.ts';
import { counterField } from './known-counters.ts';
import { appliedReply, epochAsking, type Shown, shownAccount } from './units-reply.ts';
import { APPLY, CLOSING_WAIT_MS, HEARTBEAT_MS } from './units-script.ts';

/** Counts units on a server, for all replicas that reach it. */

/** A call that the server does not answer in time is not waited for again. */
const MAX_FAILURES = 1;

interface ValkeyUnitsOptions {
  server: Server;
  base: string;
  /** What was counted before there was a server. */
  before?: readonly Counted[];
  /** Is told in which epoch the server learned what it had counted before, and lost. */
  onRestored?(epoch: string): void;
  /** Noted while the server asks again and again what is known, since it keeps nothing. */
  forgetting?: Trouble;
}

export function unitsInValkey(options: ValkeyUnitsOptions): UnitStore {
  const { server, base, before = [], onRestored, forgetting } = options;
  const writer = randomUUID();
  const channel = `${base}units`;
  const history = historyInValkey({ server, base });
  const accounts = new Map(before.map((counted) => [nameOf(counted.id), knownOf(counted)]));
  /** The change handed over last, by account. */
  const last = new Map<string, Change>();
  let isLast = false;
  /** How long closing may still wait for the server. */
  let closingWaitMs = CLOSING_WAIT_MS;

  function accountOf(name: string): Known {
    const account = accounts.get(name) ?? nothingKnown(monthIn(name));
    accounts.set(name, account);
    return account;
  }

  /**
   * Takes over what is newer. News of several processes may come in any order, or be lost. `isAll`: nothing before it
   * can be missing.
   */
  function note(name: string, { counters, bookings, ...seen }: Shown, isAll = false): void {
    const known = accountOf(name);
    const isNext = bookings !== undefined && bookings <= known.bookings + 1;
    if (isAll || isNext) known.bookings = bookings ?? 0;
    if ((known.seen?.version ?? 0) < seen.version) known.seen = seen;
    known.counters.note(counters, seen.version);
  }

  function noteKept(name: string): void {
    accountOf(name).askedIn = undefined;
    forgetting?.end();
  }

  /** Takes over the reply to a change; returns undefined if the server did not make it. `isAll`: as in `note`. */
  function noteApplied(name: string, reply: unknown, isAll: boolean): Applied | undefined {
    const { data } = appliedReply.safeParse(reply);
    if (!data) return undefined;
    const [account, { restored, isBeginning, ...applied }] = data;
    if (restored > 0) onRestored?.(account.epoch);
    note(name, account, isAll);
    if (!isBeginning) noteKept(name);
    return { waitMs: undefined, ...applied, account };
  }

  server.listen(channel, (message) => {
    const space = message.indexOf(' ');
    const name = message.slice(0, space);
    const { success, data } = shownAccount.safeParse(parseJson(message.slice(space + 1)));
    if (!success) return;
    const { seen } = accountOf(name);
    // A new epoch is learned by a change of this process, which tells the server first what was known before.
    if (!seen || seen.epoch === data.epoch) note(name, data);
  });

  const dayKey = (day: number) => `${base}spent:${day}`;

  async function apply(id: AccountId, change: Change): Promise<Applied | undefined> {
    const name = nameOf(id);
    const isRepeated = last.get(name) === change;
    last.set(name, change);
    const keys = [`${base}epoch`, `${base}account:${name}`, `${base}counters:${name}`];
    const fields = withFields(id, change, (day) => indexIn(keys, dayKey(day)));
    // Counters that were missed are asked for with an empty change: nobody waits for it.
    const isEmpty = change.take.length + change.ended.length + change.spent.length === 0;
    const accept = (reply: unknown) => noteApplied(name, reply, isEmpty);
    const handOver = (counters?: Record<string, number>) => {
      const { seen, bookings } = accountOf(name);
      const epoch = seen?.epoch ?? '';
      const about = { writer, epoch, monthBegan: Date.parse(id.month), isRepeated, isLast };
      const message = { ...fields, ...about, seen, counters, ...(isEmpty && { bookings }) };
      const args = [JSON.stringify(message, withoutNull), channel, name];
      // Restoring the counters of many clients may take the server too long. A late reply is accepted, too, so that
      // they are not told again.
      return server.run(APPLY, keys, args, accept);
    };
    const reply = await handOver();
    const epoch = epochAsking(reply);
    if (epoch === undefined) return accept(reply);
    if (noteAsking(accountOf(name), epoch)) {
      forgetting?.note('it has forgotten what it was told a moment ago');
      return undefined;
    }
    // The server may have lost its memory: it is told what was known before.
    return accept(await handOver(accountOf(name).counters.all()));
  }

  return {
    history,
    maxFailures: MAX_FAILURES,
    heartbeatMs: HEARTBEAT_MS,
    apply,
    read: (id) => accountOf(nameOf(id)).seen,
    readCounter: (id, counter) => accountOf(nameOf(id)).counters.usedOf(counter),
    spent: (from, to) => readSpent(server, dayKey, from, to),
    async beginClose() {
      const began = performance.now();
      await server.ready(closingWaitMs);
      closingWaitMs = Math.max(0, closingWaitMs - (performance.now() - began));
      isLast = true;
    },
    close: history.close,
  };
}

/** Returns the change with the keys and fields in which its units are counted. `index`: that of a day's key. */
function withFields({ meter }: AccountId, change: Change, index: (day: number) => number) {
  const fieldsOf = ({ hour, client, operation, dataset, budgets }: Purpose) => ({
    key: index(dayOf(hour)),
    field: JSON.stringify([hour, meter, client, operation, dataset]),
    budgets: budgets.map(({ window, limit }) => ({
      field: counterField({ client, window }),
      limit,
    })),
  });
  const withPurpose = <T extends { purpose: Purpose }>(one: T) => ({
    ...one,
    purpose: fieldsOf(one.purpose),
  });
  // A change without ended requests corrects nothing.
  const last = change.ended.at(-1);
  return {
    ...change,
    take: change.take.map(withPurpose),
    spent: change.spent.map(withPurpose),
    ended: change.ended.map(withPurpose),
    correction: fieldsOf(correctionIn(last?.purpose.hour ?? hourAt(Date.now()))),
  };
}

/** Returns the index of a key, which is added if it is missing; Lua counts from one. */
function indexIn(keys: string[], key: string): number {
  if (!keys.includes(key)) keys.push(key);
  return keys.indexOf(key) + 1;
}

/** Lua has no null. */
const withoutNull = (_key: string, value: unknown) => value ?? undefined;

const nameOf = ({ month, meter }: AccountId) => `${month}:${meter}`;
const monthIn = (name: string) => name.slice(0, name.indexOf(':'));
