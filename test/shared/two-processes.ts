import { join } from 'node:path';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { Change, UnitStore } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { temporaryFolder } from '../harness.ts';
import { BASE, meter, NO_PURPOSE, NO_CHANGE, onTrouble, openPastBeginning } from './changes.ts';
import { NO_SERVER } from './valkey-server.ts';

/** Two processes that count in one account, whose clock a test can put forward. */

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
export function spender(store: UnitStore) {
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

/** Where they count. */
export const STORES = [
  { name: 'in a file', open: inFile, isMissing: false },
  { name: 'on a server', open: onServer, isMissing: NO_SERVER },
];
