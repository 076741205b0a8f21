import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAY_BE_CHARGED_MS } from '../../src/shared/account.ts';
import { SHORT_MS } from '../../src/shared/stated-balance.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { Change, UnitStore } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { temporaryFolder } from '../harness.ts';
import { BASE, meter, NO_PURPOSE, NO_CHANGE, onTrouble, openPastBeginning } from './changes.ts';
import { NO_SERVER } from './valkey-server.ts';

/** A balance is lower than was counted: another process has not reported yet what it spent, or somebody else spends. */

const ID = { month: '2999-01', meter } as const;

interface TwoProcesses {
  stores: readonly [UnitStore, UnitStore];
  /** Makes the shortage and the timeouts older by `ms`. */
  pass(ms: number): Promise<void> | void;
}

function inFile(): TwoProcesses {
  const path = join(temporaryFolder(), 'ledger.sqlite');
  let at = Date.now();
  const open = () => unitsInSqlite({ path, now: () => at, onTrouble });
  return { stores: [open(), open()], pass: (ms) => void (at += ms) };
}

/** KEYS: account. ARGV: milliseconds. */
const PASS_TIME_SCRIPT = `
local a = cjson.decode(redis.call('GET', KEYS[1]))
if a.shortSince then a.shortSince = a.shortSince - tonumber(ARGV[1]) end
a.lateUntil = a.lateUntil - tonumber(ARGV[1])
redis.call('SET', KEYS[1], cjson.encode(a))`;

async function onServer(): Promise<TwoProcesses> {
  const { server, units, command } = await openPastBeginning();
  const key = `${BASE}account:${ID.month}:${meter}`;
  return {
    stores: [units, unitsInValkey({ server, base: BASE })],
    pass: async (ms) => void (await command('EVAL', PASS_TIME_SCRIPT, '1', key, String(ms))),
  };
}

/** A process that asks the upstream. */
function spender(store: UnitStore) {
  let number = 0;
  const apply = async (change: Partial<Change>) => {
    number += 1;
    const applied = await store.apply(ID, { ...NO_CHANGE, limit: undefined, ...change, number });
    return applied!;
  };
  return {
    /** Sends an empty change, as a sign of life. */
    sendHeartbeat: () => apply({}),
    /** Reports units that it has spent while it could not report them. */
    tell: (requests: number) => apply({ spent: [{ purpose: NO_PURPOSE, requests, cost: 1 }] }),
    /** A request whose answer states the balance. Returns what somebody else has spent. */
    async ask(remaining: number): Promise<number> {
      const { account } = await apply({ take: [{ purpose: NO_PURPOSE, requests: 1, cost: 1 }] });
      const paid = {
        purpose: NO_PURPOSE,
        sentAs: account.lastSent,
        reserved: 1,
        units: 1,
        remaining,
      };
      return (await apply({ ended: [paid] })).elsewhere;
    },
    /** Requests that get no answer. */
    async timeOut(requests: number): Promise<void> {
      const { account } = await apply({ take: [{ purpose: NO_PURPOSE, requests, cost: 1 }] });
      const one = { purpose: NO_PURPOSE, sentAs: account.lastSent, reserved: 1, units: 1 };
      await apply({ ended: Array.from({ length: requests }, () => ({ ...one, timedOut: true })) });
    },
    used: async () => (await apply({})).account.used,
  };
}

const STORES = [
  { name: 'in a file', open: inFile, isMissing: false },
  { name: 'on a server', open: onServer, isMissing: NO_SERVER },
];

describe.each(STORES)('$name', ({ open, isMissing }) => {
  test.skipIf(isMissing)(
    'units that another process reports a moment later were not spent elsewhere',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await other.sendHeartbeat();
      expect(await one.ask(100)).toBe(0);
      // The other one has spent three that are not counted yet.
      expect(await one.ask(96)).toBe(0);
      await other.tell(3);
      await pass(SHORT_MS);
      expect(await one.ask(95)).toBe(0);
      // Now it is known who has spent them: a new shortage has to last as long again.
      expect(await one.ask(90)).toBe(0);
    },
  );

  test.skipIf(isMissing)(
    'a shortage that another process has explained counts no more when there is another one',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await other.sendHeartbeat();
      await one.ask(100);
      expect(await one.ask(96)).toBe(0);
      await other.tell(3);
      await pass(SHORT_MS);
      await other.sendHeartbeat();
      // Four more, of which nobody has told yet.
      expect(await one.ask(91)).toBe(0);
    },
  );

  test.skipIf(isMissing)(
    'units that are still missing after a while are reported as spent elsewhere, once',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      expect(await one.ask(100)).toBe(0);
      await other.sendHeartbeat();
      expect(await one.ask(89)).toBe(0);
      await pass(SHORT_MS);
      await other.sendHeartbeat();
      expect(await one.ask(88)).toBe(10);
      expect(await one.ask(87)).toBe(0);
    },
  );

  test.skipIf(isMissing)('a process that counts alone reports missing units at once', async () => {
    const { stores } = await open();
    const one = spender(stores[0]);
    expect(await one.ask(100)).toBe(0);
    expect(await one.ask(89)).toBe(10);
  });

  test.skipIf(isMissing)(
    'units that were not charged are given back although others spend',
    async () => {
      const { stores, pass } = await open();
      const one = spender(stores[0]);
      await one.ask(100);
      expect(await one.ask(89)).toBe(10);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      // Of five, two were charged, or others have spent two more.
      await one.ask(86);
      expect(await one.used()).toBe(5);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late say nothing about requests that timed out',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await one.ask(100);
      expect(await one.ask(89)).toBe(10);
      // Five of the ten were spent by the other process, as it reports only now; all that timed out was charged.
      await other.tell(5);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await one.ask(83);
      expect(await one.used()).toBe(13);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late cast no doubt on time-outs that a balance has shown to be charged',
    async () => {
      const { stores, pass } = await open();
      const one = spender(stores[0]);
      await one.ask(100);
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await one.ask(94);
      await one.tell(3);
      // Five units were bought.
      await one.ask(95);
      expect(await one.used()).toBe(11);
    },
  );

  test.skipIf(isMissing)(
    'units that are reported late may have hidden that requests which timed out were not charged',
    async () => {
      const { stores, pass } = await open();
      const [one, other] = [spender(stores[0]), spender(stores[1])];
      await one.ask(100);
      await other.sendHeartbeat();
      await one.timeOut(5);
      await pass(MAY_BE_CHARGED_MS);
      await other.sendHeartbeat();
      // None of the five was charged; the other process has spent three, as it reports only later.
      await one.ask(96);
      await other.tell(3);
      await one.ask(95);
      expect(await one.used()).toBe(6);
    },
  );
});
