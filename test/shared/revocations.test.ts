import { describe, expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../src/shared/valkey/server.ts';
import { revocationsOnServer } from '../../src/shared/valkey/revocations.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Which of several changes of a key counts. */

const BASE = '{test}:';

/** Opens the list as a replica does whose clock shows `at`, in milliseconds. */
async function openReplica(url: string, at: number) {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  onTestFinished(server.close);
  await server.ready(1000);
  const revocations = revocationsOnServer({ server, base: BASE, now: () => at });
  onTestFinished(revocations.close);
  let revoked: string[] = [];
  await revocations.watch((digests) => void (revoked = [...digests].toSorted()));
  return { ...revocations, revoked: () => revoked };
}

describe.skipIf(NO_SERVER)('the list of revoked keys', () => {
  test('has what was changed last, even if the clock of another replica is ahead', async () => {
    const { url } = await startValkey();
    const [behind, ahead] = [await openReplica(url, 1000), await openReplica(url, 9000)];
    for (const one of [behind, ahead, behind]) {
      one.add('key');
      for (const { revoked } of [behind, ahead]) await expect.poll(revoked).toEqual(['key']);
      one.remove('key');
      for (const { revoked } of [behind, ahead]) await expect.poll(revoked).toEqual([]);
    }
    behind.add('key');
    for (const { revoked } of [behind, ahead]) await expect.poll(revoked).toEqual(['key']);
  });

  test('has a key that one replica revokes and another restores at the same time', async () => {
    const { url, command } = await startValkey();
    const [one, other] = [await openReplica(url, 1000), await openReplica(url, 1000)];
    one.add('key');
    other.remove('key');
    for (const { revoked } of [one, other]) await expect.poll(revoked).toEqual(['key']);
    expect(await command('HGET', `${BASE}revoked`, 'key')).toBe('1');
  });

  test('counts what the version before wrote, without a time, as older than any change', async () => {
    const { url, command } = await startValkey();
    await command('HSET', `${BASE}revoked`, 'old', '1', 'restored', '1', 'valid', '0');
    await command('SET', `${BASE}revoked:version`, 'before');
    const replica = await openReplica(url, 1000);
    expect(replica.revoked()).toEqual(['old', 'restored']);
    replica.remove('restored');
    replica.add('valid');
    const states = () => command('HMGET', `${BASE}revoked`, 'old', 'restored', 'valid');
    await expect.poll(states).toEqual(['1', '0', '1']);
    // A replica of the version before finds its own state missing, and sends that again.
    await command('FLUSHALL');
    await command('HSET', `${BASE}revoked`, 'restored', '1');
    await command('SET', `${BASE}revoked:version`, 'before');
    await expect.poll(states).toEqual(['1', '0', '1']);
    expect((await openReplica(url, 1000)).revoked()).toEqual(['old', 'valid']);
  });
});
