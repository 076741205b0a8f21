import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sinceStart } from '../../src/monotonic.ts';
import {
  sendAtFullSpeed,
  more,
  maxInASecond,
  openReplicas,
  rateOf,
  type Replica,
} from './limiters.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

/** Replicas together keep to the upstream's rate limit, by a real clock: the server has no other. */

const MAX_WAIT_MS = 15_000;
const acquire = ({ limiter }: Replica, patienceMs = MAX_WAIT_MS) =>
  limiter.acquire(sinceStart() + patienceMs);
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

describe.skipIf(NO_SERVER)('replicas', () => {
  test('at full speed they keep to the limit, use all of it, and have similar shares of it', async () => {
    const { url } = await startValkey();
    const replicas = await openReplicas(url, 8, 10);
    const { sent, stop } = sendAtFullSpeed(replicas);
    await more(sent, 10);
    // On a busy machine it is less for a while.
    await expect.poll(() => rateOf(sent, 40)).toBeGreaterThan(9);
    stop();
    expect(maxInASecond(sent)).toBeLessThanOrEqual(10);
    for (const one of replicas.keys())
      expect(sent.filter(({ replica }) => replica === one).length).toBeGreaterThan(3);
  });

  test('they stay below the limit when the server is killed, and use it again when it is back', async () => {
    const server = await startValkey();
    const replicas = await openReplicas(server.url, 4, 10);
    const { sent, stop } = sendAtFullSpeed(replicas, 2);
    await more(sent, 10);
    await server.kill();
    await more(sent, 10);
    await server.start();
    await more(sent, 20);
    stop();
    expect(maxInASecond(sent)).toBeLessThanOrEqual(10);
    // Without the server, one of four would get no more than a quarter.
    const { sent: sentByOne, stop: stopOne } = sendAtFullSpeed(replicas.slice(0, 1), 20);
    await more(sentByOne, 20);
    await expect.poll(() => rateOf(sentByOne, 20)).toBeGreaterThan(8);
    stopOne();
  });

  test('a refusal holds back all, and all learn from it', async () => {
    const { url } = await startValkey();
    const replicas = await openReplicas(url, 4, undefined);
    const permits = await Promise.all(replicas.flatMap((one) => times(2, () => acquire(one))));
    const sixth = permits.find((permit) => permit?.earlier === 5);
    const refusedAt = sinceStart();
    replicas[0]!.limiter.noteRefused(sixth!, 1500);
    await acquire(replicas[0]!);
    // The server counts whole milliseconds.
    expect(sinceStart() - refusedAt).toBeGreaterThanOrEqual(1499);
    const { sent, stop } = sendAtFullSpeed(replicas);
    await more(sent, 6);
    stop();
    expect(sent[5]!.at - sent[0]!.at).toBeGreaterThanOrEqual(1000);
  });

  /** Retried since the machine may be busy: only being late every time is a fault. */
  test('a permit that is given back goes to another replica at once', { retry: 5 }, async () => {
    const { url } = await startValkey();
    const [one, other] = await openReplicas(url, 2, 1);
    const permit = await acquire(one!);
    const waiting = acquire(other!);
    expect(await acquire(other!, 100)).toBeUndefined();
    one!.limiter.giveBack(permit!);
    expect((await waiting)!.at - permit!.at).toBeLessThan(1000);
  });

  test('a replica that is closed holds up nobody', async () => {
    const { url } = await startValkey();
    const [one, other] = await openReplicas(url, 2, 1);
    const first = await acquire(one!);
    const abandoned = acquire(one!);
    const waiting = acquire(other!);
    one!.close();
    expect(await abandoned).toBeUndefined();
    expect((await waiting)!.at - first!.at).toBeGreaterThanOrEqual(1000);
  });

  test('a server that was frozen learns that permits were given without it', async () => {
    const server = await startValkey();
    const { sent, stop } = sendAtFullSpeed(await openReplicas(server.url, 1, 2), 2);
    await more(sent, 2);
    server.freeze();
    await more(sent, 3);
    server.resume();
    await more(sent, 4);
    stop();
    expect(maxInASecond(sent)).toBeLessThanOrEqual(2);
  });

  test('a refusal holds back a replica although the server is away', async () => {
    const server = await startValkey();
    const [replica] = await openReplicas(server.url, 1, 5);
    const permit = await acquire(replica!);
    server.freeze();
    const refusedAt = sinceStart();
    const retryAfterMs = 3000;
    replica!.limiter.noteRefused(permit!, retryAfterMs);
    await acquire(replica!);
    expect(sinceStart() - refusedAt).toBeGreaterThanOrEqual(retryAfterMs);
    server.resume();
  });

  test('a frozen server holds up nobody if no limit is known', async () => {
    const server = await startValkey();
    const replicas = await openReplicas(server.url, 2, undefined);
    server.freeze();
    const permits = await Promise.all(replicas.flatMap((one) => times(50, () => acquire(one))));
    expect(permits).not.toContain(undefined);
    server.resume();
  });

  test('a permit that was held for too long is late, if there is a limit', async () => {
    const { url } = await startValkey();
    const [one, unlimited] = [
      ...(await openReplicas(url, 1, 5)),
      ...(await openReplicas((await startValkey()).url, 1, undefined)),
    ];
    const permits = await Promise.all([acquire(one!), acquire(unlimited!)]);
    await pause(600);
    expect([one!.limiter.isLate(permits[0]!), unlimited!.limiter.isLate(permits[1]!)]).toEqual([
      true,
      false,
    ]);
  });
});
