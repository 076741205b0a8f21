import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Server } from '../../src/shared/valkey/server.ts';
import type { AccountId, Applied, UnitStore } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { openAccount } from '../../src/usage/open-account.ts';
import { BASE, meter, NO_PURPOSE, openPastBeginning } from './changes.ts';
import { NO_SERVER, type ValkeyServer } from './valkey-server.ts';

/** Replicas that are killed or cut off while units are set aside for them. */

/** `RUNS=500 npx vitest run test/shared/lost-replicas.test.ts` takes some ten minutes. */
const RUNS = Number(process.env['RUNS'] ?? 25);
const LIMIT = 1000;
const MAX_GRANTED = 5;
/** The first two seconds of a server, in which nothing is granted, and some time until a busy one has begun them. */
const BEGINNING_MS = 2600;

const anyReplica = fc.nat(2);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('spend' as const),
    who: anyReplica,
    count: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constantFrom('cut', 'mend', 'kill', 'lose'), who: anyReplica }),
  fc.constant({ kind: 'hour' as const, who: 0 }),
);

/** KEYS: account. ARGV: a time of the server. Replicas that were silent since then become so for more than an hour. */
const PASS_AN_HOUR_SCRIPT = `
local a = cjson.decode(redis.call('GET', KEYS[1]))
for _, writer in pairs(a.writers) do
  if writer.at < tonumber(ARGV[1]) then writer.at = writer.at - 3660000 end
end
redis.call('SET', KEYS[1], cjson.encode(a))`;

/** Lets an hour pass, in which `reportAll` makes the living replicas send a report. */
async function passAnHour(
  command: ValkeyServer['command'],
  id: AccountId,
  reportAll: () => Promise<void>,
): Promise<void> {
  await pause(2);
  const since = String(Date.now());
  await reportAll();
  await command('EVAL', PASS_AN_HOUR_SCRIPT, '1', `${BASE}account:${id.month}:${meter}`, since);
}

/** Opens a replica whose way to the server may be cut. */
function openReplica(server: Server, id: AccountId) {
  const store = unitsInValkey({ server, base: BASE });
  const way = { isCut: false, losesAnswers: false, heard: [] as Applied[] };
  const apply: UnitStore['apply'] = async (of, change) => {
    if (way.isCut && !way.losesAnswers) return undefined;
    const applied = await store.apply(of, change);
    if (way.isCut) way.losesAnswers = false;
    else if (applied) way.heard.push(applied);
    return way.isCut ? undefined : applied;
  };
  const account = openAccount(id, {
    store: { ...store, apply },
    limit: LIMIT,
    now: Date.now,
    monotonic: () => performance.now(),
    onSpentElsewhere: () => expect.unreachable('nobody else spends'),
  });

  /** Reports everything it has to report, and waits until the server has received it, unless it is cut off. */
  async function report(): Promise<void> {
    const before = way.heard.length;
    account.sendHeartbeat();
    while (!way.isCut && way.heard.length === before) await pause(2);
    await pause(2);
  }

  /** Sends up to `count` requests, all of which are charged; returns how many were sent. */
  async function spend(count: number): Promise<number> {
    const request = { purpose: NO_PURPOSE, cost: 1 };
    const given = await Promise.all(Array.from({ length: count }, () => account.take(request)));
    const sent = given.filter((one) => typeof one === 'object');
    for (const { sentAs } of sent)
      account.end({ sentAs, purpose: NO_PURPOSE, reserved: 1, units: 1 });
    return sent.length;
  }
  return { account, way, report, spend };
}

test.skipIf(NO_SERVER)(
  'whichever replicas are killed or cut off: no limit is exceeded, and living ones are granted units within the hour',
  async () => {
    const { server, command } = await openPastBeginning();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        run += 1;
        const id = { month: `${3000 + run}-01`, meter } as const;
        const open = () => openReplica(server, id);
        const replicas = [open(), open(), open()];
        let [spent, silenced] = [0, 0];
        const reportAll = async (times: number) => {
          for (let i = 0; i < times; i += 1) for (const { report } of replicas) await report();
        };
        const waitAnHour = async () => {
          await passAnHour(command, id, () => reportAll(1));
          await reportAll(3);
          const living = replicas.filter(({ way }) => !way.isCut);
          for (const { account, way } of living) {
            const { used, setAside = 0 } = account.view();
            const share = Math.floor(((LIMIT - used - setAside) * 0.01) / living.length);
            expect(way.heard.at(-1)!.advance).toBe(Math.min(MAX_GRANTED, share));
          }
        };
        await reportAll(2);
        for (const one of steps) {
          const { way, report, spend } = replicas[one.who]!;
          if (one.kind === 'spend') spent += await spend(one.count);
          else if (one.kind === 'hour') await waitAnHour();
          else if (one.kind === 'mend') way.isCut = false;
          else {
            silenced += 1;
            way.losesAnswers = one.kind === 'lose' && !way.isCut;
            way.isCut = true;
            await report();
            while (way.losesAnswers) await pause(2);
            if (one.kind === 'kill') replicas[one.who] = open();
          }
        }
        for (const { way } of replicas) way.isCut = false;
        await reportAll(2);
        await waitAnHour();
        const heartbeats = setInterval(
          () => replicas.forEach(({ account }) => account.sendHeartbeat()),
          20,
        );
        for (const { spend } of replicas) spent += await spend(LIMIT);
        clearInterval(heartbeats);
        await reportAll(2);
        const { used, setAside = 0 } = replicas[0]!.account.view();
        expect(spent).toBeLessThanOrEqual(LIMIT);
        expect(used + setAside).toBe(LIMIT);
        expect(setAside).toBeLessThanOrEqual(MAX_GRANTED * silenced);
        expect(used).toBeLessThanOrEqual(spent);
      }),
      { numRuns: RUNS },
    );
    server.close();
  },
  600_000 + RUNS * 2000,
);

test.skipIf(NO_SERVER)(
  'a replica that is back after more than an hour still has the units that were set aside for it, and its reports count once',
  async () => {
    const { server, command } = await openPastBeginning();
    const id = { month: '3000-01', meter } as const;
    const [one, other] = [openReplica(server, id), openReplica(server, id)];
    await one.report();
    one.way.isCut = true;
    await passAnHour(command, id, other.report);
    await other.report();
    expect(other.account.view()).toMatchObject({ used: 0, setAside: MAX_GRANTED });
    expect(await one.spend(9)).toBe(MAX_GRANTED);
    one.way.losesAnswers = true;
    while (one.way.losesAnswers) await pause(2);
    await passAnHour(command, id, other.report);
    await other.report();
    one.way.isCut = false;
    for (const { report } of [one, one, other]) await report();
    expect(other.account.view()).toMatchObject({ used: MAX_GRANTED, setAside: 0 });
    server.close();
  },
);

test.skipIf(NO_SERVER)(
  'nothing stays set aside for living replicas after the server was away for more than an hour',
  async () => {
    const { server, command } = await openPastBeginning();
    const id = { month: '3000-01', meter } as const;
    const replicas = [openReplica(server, id), openReplica(server, id)];
    const reportAll = async () => {
      for (const { report } of replicas) await report();
    };
    for (let outages = 0; outages < 2; outages += 1) {
      await reportAll();
      await passAnHour(command, id, async () => undefined);
      // The server remembers what was said, and begins a new epoch.
      await command('DEL', `${BASE}epoch`);
      await reportAll();
      await pause(BEGINNING_MS);
      await reportAll();
    }
    await reportAll();
    for (const { account } of replicas)
      expect(account.view()).toMatchObject({ used: 0, setAside: 0 });
    server.close();
  },
);
