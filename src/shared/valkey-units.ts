import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import type { Account } from './account.ts';
import type { Server } from './server.ts';
import type { AccountId, Applied, Change, UnitStore } from './units.ts';
import { APPLY } from './valkey-units-script.ts';

/** Units counted on a server, by all replicas that reach it. */

/** A call that takes longer than the server may is not waited for again. */
const PATIENCE = 1;
/** Fast enough for replicas to tell each other all they know within the first second of an epoch. */
const BEAT_MS = 400;

/** An account, and by which epoch of the server and which of its versions it is known. */
interface Seen extends Account {
  epoch: string;
  version: number;
}

export function unitsInValkey({ server, base }: { server: Server; base: string }): UnitStore {
  const writer = randomUUID();
  const channel = `${base}units`;
  const known = new Map<string, Seen>();
  /** The change of each account that was handed over last. */
  const last = new Map<string, Change>();
  let isLast = false;

  /** News of several processes may come in any order. */
  function note(name: string, seen: Seen): void {
    if ((known.get(name)?.version ?? 0) < seen.version) known.set(name, seen);
  }

  server.listen(channel, (message) => {
    const space = message.indexOf(' ');
    const { success, data } = account.safeParse(parseJson(message.slice(space + 1)));
    if (success) note(message.slice(0, space), data);
  });

  async function apply(id: AccountId, change: Change): Promise<Applied | undefined> {
    const name = nameOf(id);
    const seen = known.get(name);
    const isRepeated = last.get(name) === change;
    last.set(name, change);
    const said = { ...change, writer, epoch: seen?.epoch ?? '', seen, isRepeated, isLast };
    const keys = [`${base}epoch`, `${base}account:${name}`];
    const reply = answer.safeParse(
      await server.run(APPLY, keys, [JSON.stringify(said, withoutNull), channel, name]),
    );
    if (!reply.success) return undefined;
    const [shown, applied] = reply.data;
    note(name, shown);
    return { waitMs: undefined, ...applied, account: shown };
  }

  return {
    patience: PATIENCE,
    beatMs: BEAT_MS,
    apply,
    read: (id) => known.get(nameOf(id)),
    beginClose: () => void (isLast = true),
    close: () => undefined,
  };
}

/** Lua has no null. */
const withoutNull = (_key: string, value: unknown) => value ?? undefined;

const nameOf = ({ month, meter }: AccountId) => `${month}:${meter}`;

const count = z.number();
const maybeCount = count.nullish().transform((value) => value ?? null);
const account = z.object({
  epoch: z.string(),
  version: count,
  used: count,
  lastSent: count,
  remaining: maybeCount,
  balanceAt: count,
  total: maybeCount,
  timeouts: z.object({ counted: count, free: count }),
  isSpentElsewhere: z.boolean(),
  closedUntil: count,
  closedAt: count,
});
const applied = z.object({
  taken: count,
  elsewhere: count,
  advance: count,
  waitMs: count.optional(),
});
const json = <T>(type: z.ZodType<T>) =>
  z
    .instanceof(Buffer)
    .transform((bytes) => parseJson(String(bytes)))
    .pipe(type);
const answer = z.tuple([json(account), json(applied)]);
