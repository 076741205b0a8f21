import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BEGINNING_MS, keepAlive, openReplica, sendHeartbeat } from './replica-accounts.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** What a replica was granted in advance counts, although the server has lost it. */

const LIMIT = 600;
/** What each of two replicas is granted of so many units. */
const GRANTED = 3;
const ACCOUNT = '{test}:account:2026-11:credits';

const SERVERS = [
  { name: 'that is empty', remembers: false },
  { name: 'that remembers the time before', remembers: true },
];

test.skipIf(NO_SERVER).each(SERVERS)(
  'a replica spends its advance and dies: on a server $name, the limit holds',
  async ({ remembers }) => {
    const { url, command } = await startValkey();
    const [one, other] = [await openReplica(url, LIMIT), await openReplica(url, LIMIT)];
    keepAlive(one);
    await sendHeartbeat(other);
    const before = String(await command('GET', ACCOUNT));
    await pause(BEGINNING_MS);
    for (const replica of [other, one, other, one]) await sendHeartbeat(replica);
    other.way.all = 'is lost';
    const lost = await other.spend();
    expect(lost).toBe(GRANTED);
    await command('FLUSHALL');
    if (remembers) await command('SET', ACCOUNT, before);
    await pause(BEGINNING_MS);
    expect((await one.spend()) + lost).toBe(LIMIT);
    expect(one.account.view()).toMatchObject({ used: LIMIT - GRANTED, setAside: GRANTED });
  },
);
