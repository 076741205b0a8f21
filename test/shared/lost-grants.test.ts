import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BEGINNING_MS, keepAlive, openReplica, sendHeartbeat } from './replica-accounts.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What a replica was granted in advance counts, although the server has lost it. */

const LIMIT = 600;
/** What each of two replicas is granted of so many units. */
const GRANTED = 3;
const ACCOUNT = '{test}:account:2026-11:credits';
const EPOCH = '{test}:epoch';

/** Opens two replicas that were granted units, and returns how the account looked before. */
async function openTwo() {
  const { url, command } = await startValkey();
  const [one, other] = [await openReplica(url, LIMIT), await openReplica(url, LIMIT)];
  for (const replica of [one, other]) await sendHeartbeat(replica);
  const before = String(await command('GET', ACCOUNT));
  await pause(BEGINNING_MS);
  // The one that was alone at first gives units back once it has reported that it has fewer.
  for (let i = 0; i < 3; i += 1) for (const replica of [one, other]) await sendHeartbeat(replica);
  return { one, other, command, before };
}

const LOSSES = [
  { name: 'that is empty', script: "redis.call('FLUSHALL')" },
  {
    name: 'that remembers the time before',
    script: "redis.call('DEL', KEYS[1]) redis.call('SET', KEYS[2], ARGV[1])",
  },
];

test.skipIf(NO_SERVER).each(LOSSES)(
  'a replica spends its advance and dies: on a server $name, the limit holds',
  async ({ script }) => {
    const { one, other, command, before } = await openTwo();
    keepAlive(one);
    other.way.all = 'is lost';
    const lost = await other.spend();
    expect(lost).toBe(GRANTED);
    await command('EVAL', script, '2', EPOCH, ACCOUNT, before);
    await pause(BEGINNING_MS);
    expect((await one.spend()) + lost).toBe(LIMIT);
    expect(one.account.view()).toMatchObject({ used: LIMIT - GRANTED, setAside: GRANTED });
  },
);

test.skipIf(NO_SERVER)(
  'a replica that was stopped in order holds nothing, whatever another one has seen',
  async () => {
    const { one, other, command } = await openTwo();
    await other.close();
    await command('DEL', EPOCH);
    keepAlive(one);
    await pause(BEGINNING_MS);
    expect(await one.spend()).toBe(LIMIT);
  },
);
