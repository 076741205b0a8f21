import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { sharedBySqlite } from '../../src/shared/sqlite/answers.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { sharedByValkey } from '../../src/shared/valkey/answers.ts';
import { open, temporaryFolder } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';
import { addDeadFlight, fileIn, otherProcess, stored } from './stored.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Claims of processes that have died, or that the server answered too late. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';

async function openSeveral(count: number, env: Record<string, string> = {}) {
  const common = { DATA_DIR: temporaryFolder(), ...env };
  const bench = await open({ env: common });
  const others = await Promise.all(Array.from({ length: count - 1 }, () => bench.another(common)));
  return { ...bench, folder: common.DATA_DIR, all: [bench, ...others] };
}

test('a claim whose owner has died ends with its lease, and one of the waiting processes asks', async () => {
  const { sandbox, all, folder, clock } = await openSeveral(3);
  await all[0]!.ask('{ cryptoAssets(first: 1) { totalCount } }');
  await stored(folder, 1);
  const db = otherProcess(folder);
  const key = String(db.prepare('SELECT key FROM answers').get()?.['key']);
  const ofRates = key.replace(/(?<=^\S+ ).*/, 'fx rates all');
  const until = clock.now() + 2000;
  addDeadFlight(db, ofRates, until);
  db.close();
  const before = sandbox.requests().length;
  const waiting = Promise.all(all.map(({ ask }) => ask(RATES)));
  await pause(100);
  expect(sandbox.requests()).toHaveLength(before);
  clock.advance(2001);
  for (const { errors } of await waiting) expect(errors).toEqual([]);
  expect(sandbox.requests()).toHaveLength(before + 1);
});

test('a request that another process may wait for longer than this one would is not sent again', async () => {
  const { ask, another, folder, sandbox } = await openSeveral(1, { UPSTREAM_TIMEOUT_MS: '60000' });
  const other = await another({ DATA_DIR: folder, UPSTREAM_TIMEOUT_MS: '5000' });
  const release = sandbox.fault({ kind: 'hold', times: 1 });
  const asked = ask(RATES);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  const both = [asked, other.ask(RATES)];
  const db = otherProcess(folder);
  const awaited = db.prepare('SELECT count(*) AS n FROM flights WHERE awaited = 1');
  await expect.poll(() => awaited.get()?.['n']).toBe(1);
  db.close();
  release();
  for (const one of both) expect((await one).errors).toEqual([]);
  expect(sandbox.requests()).toHaveLength(1);
});

test('processes of this version and of the one before it, which did not note when a claim began, share one file', async () => {
  const folder = temporaryFolder();
  const before = new DatabaseSync(fileIn(folder), { timeout: 1000 });
  onTestFinished(() => before.close());
  before.exec(`CREATE TABLE flights (
    token TEXT PRIMARY KEY, key TEXT NOT NULL, asked TEXT NOT NULL, until INTEGER NOT NULL,
    awaited INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID`);
  addDeadFlight(before, 'key', Date.now() + 60_000);
  const [one, other] = [openFile(folder), openFile(folder)];
  expect(await one.claim('key', null, 60_000)).toMatchObject({ isOurs: false });
  expect(await other.claim('new', null, 60_000)).toMatchObject({ isOurs: true });
  expect(await one.claim('new', null, 60_000)).toMatchObject({ isOurs: false });
  addDeadFlight(before, 'later', Date.now() + 60_000);
  expect(await other.claim('later', null, 60_000)).toMatchObject({ isOurs: false });
  // It was begun before the clock was set back.
  addDeadFlight(before, 'old', Date.now() + 86_400_000);
  expect(await other.claim('old', null, 60_000)).toMatchObject({ isOurs: true });
});

test('a request that waits for its turn is not sent if its answer arrives meanwhile, whatever was read before', async () => {
  const { ask, another, folder, clock, sandbox } = await openSeveral(1);
  const paced = await another({ DATA_DIR: folder, GROUP_B_REQUESTS_PER_SECOND: '1' });
  const [waitedFor = '', other = ''] = assetsBelow500(sandbox, 2).map(
    (symbol) => `{ cryptoAsset(symbol: "${symbol}") { price } }`,
  );
  await paced.ask('{ calendarEvents { totalCount } }');
  const waiting = paced.ask(waitedFor);
  for (const query of [waitedFor, other]) await ask(query);
  await stored(folder, 3);
  const before = sandbox.requests().length;
  await paced.ask(other);
  clock.advance(2000);
  await waiting;
  expect(sandbox.requests()).toHaveLength(before);
});

function openFile(folder: string, clocks = { now: Date.now, monotonic: () => performance.now() }) {
  const onTrouble = { begins() {}, ends() {}, putAside() {} };
  const shared = sharedBySqlite({ path: fileIn(folder), maxBytes: 1e7, ...clocks, onTrouble });
  onTestFinished(() => shared.close());
  return shared;
}

test('setting back the wall clock makes nobody wait longer for a claim whose owner has died', async () => {
  const folder = temporaryFolder();
  const clock = { wall: Date.parse('2026-11-20T12:00:00Z'), monotonic: 0 };
  const clocks = { now: () => clock.wall, monotonic: () => clock.monotonic };
  const [dead, living] = [openFile(folder, clocks), openFile(folder, clocks)];
  await dead.claim('key', null, 2000);
  const claim = await living.claim('key', null, 2000);
  clock.wall -= 86_400_000;
  clock.monotonic += 2001;
  expect(claim).toMatchObject({ isOurs: false });
  await expect(Object(claim).over).resolves.toBeUndefined();
  // Nobody waits a day for a claim that seems to last that long, either.
  expect(await living.claim('key', null, 2000)).toMatchObject({ isOurs: true });
});

async function openShared(url: string) {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  onTestFinished(server.close);
  await server.ready(1000);
  const shared = sharedByValkey({ server, base: '{test}:', maxBytes: 1e8 });
  return { ...shared, isAway: server.isAway };
}

test.skipIf(NO_SERVER)(
  'a claim that the server answers too late holds up nobody once it is back',
  async () => {
    const { url, command, freeze, resume } = await startValkey();
    const [one, other] = [await openShared(url), await openShared(url)];
    const LEASE_MS = 600_000;
    // By now both have sent their scripts.
    for (const { claim } of [one, other]) {
      const first = await claim('first', null, LEASE_MS);
      if (first.isOurs) void first.release();
    }
    freeze();
    const late = await one.claim('key', null, LEASE_MS);
    expect([late.isOurs, one.isAway()]).toEqual([true, true]);
    resume();
    await expect.poll(async () => command('EXISTS', '{test}:flights:key')).toBe(0);
    expect((await other.claim('key', null, LEASE_MS)).isOurs).toBe(true);
  },
);
