import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { open, temporaryFolder } from '../harness.ts';
import { otherProcess, stored } from './stored.ts';

/** What a process that died was asking for. */

const RATES = '{ fxRates(first: 1) { nodes { buying } } }';

async function openSeveral(count: number, env: Record<string, string> = {}) {
  const common = { DATA_DIR: temporaryFolder(), ...env };
  const bench = await open({ env: common });
  const others = await Promise.all(Array.from({ length: count - 1 }, () => bench.another(common)));
  return { ...bench, folder: common.DATA_DIR, all: [bench, ...others] };
}

test('a flight whose owner has died ends with its lease, and one of those who wait asks', async () => {
  const { sandbox, all, folder, clock } = await openSeveral(3);
  await all[0]!.ask('{ cryptoAssets(first: 1) { totalCount } }');
  await stored(folder, 1);
  const db = otherProcess(folder);
  const key = String(db.prepare('SELECT key FROM answers').get()?.['key']);
  const ofRates = key.replace(/(?<=^\S+ ).*/, 'fx rates all');
  const until = clock.now() + 2000;
  db.prepare('INSERT INTO flights VALUES (?, ?, ?, ?, 0)').run('dead', ofRates, 'null', until);
  db.close();
  const before = sandbox.requests().length;
  const waiting = Promise.all(all.map(({ ask }) => ask(RATES)));
  await pause(100);
  expect(sandbox.requests()).toHaveLength(before);
  clock.advance(2001);
  for (const { errors } of await waiting) expect(errors).toEqual([]);
  expect(sandbox.requests()).toHaveLength(before + 1);
});
