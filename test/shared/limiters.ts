import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openServer } from '../../src/shared/valkey/server.ts';
import { permitsInValkey } from '../../src/shared/valkey/permits.ts';
import { sinceStart } from '../../src/monotonic.ts';
import { createRateLimiter, type RateLimiter } from '../../src/upstream/rate-limiter.ts';

/** Rate limiters of several replicas in one process, each with its own connection. */

const onTrouble = { begins: () => undefined, ends: () => undefined };

export interface Replica {
  limiter: RateLimiter;
  close(): void;
}

export async function openReplicas(
  url: string,
  count: number,
  perSecond: number | undefined,
): Promise<Replica[]> {
  const open = async () => {
    const server = openServer({ url, onTrouble });
    await server.ready(1000);
    const permits = permitsInValkey({ server, base: '{test}:', perSecond, monotonic: sinceStart });
    const limiter = createRateLimiter({
      perSecond,
      permits,
      monotonic: sinceStart,
      maxInFlight: Infinity,
    });
    const close = () => {
      limiter.close();
      permits.close();
      server.close();
    };
    onTestFinished(close);
    return { limiter, close };
  };
  return Promise.all(Array.from({ length: count }, open));
}

/** When requests were sent, in order. */
export type Sent = { at: number; replica: number }[];

/** Each replica sends as fast as it may, `waiting` requests at a time. */
export function sendAtFullSpeed(replicas: readonly Replica[], waiting = 5) {
  const sent: Sent = [];
  const over = new AbortController();
  const send = async (replica: number) => {
    const { limiter } = replicas[replica]!;
    while (!over.signal.aborted) {
      const permit = await limiter.acquire(sinceStart() + 15_000);
      if (!permit) return;
      if (limiter.isLate(permit)) limiter.giveBack(permit);
      else {
        limiter.noteSent(permit);
        sent.push({ at: sinceStart(), replica });
      }
    }
  };
  for (const replica of replicas.keys()) for (let i = 0; i < waiting; i += 1) void send(replica);
  return { sent, stop: () => over.abort() };
}

export function maxInASecond(sent: Sent): number {
  return Math.max(
    0,
    ...sent.map(({ at: from }) => sent.filter(({ at }) => at >= from && at < from + 1000).length),
  );
}

/** Waits until `count` more have been sent. */
export async function more(sent: Sent, count: number): Promise<void> {
  const enough = sent.length + count;
  while (sent.length < enough) await pause(10);
}

/**
 * Returns how many are sent a second while `count` more are. Time in which this process was stalled does not count.
 */
export async function rateOf(sent: Sent, count: number): Promise<number> {
  const first = sent.length - 1;
  let [last, stalledMs] = [sinceStart(), 0];
  const timer = setInterval(() => {
    const passed = sinceStart() - last;
    last += passed;
    if (passed > STALL_MS) stalledMs += passed;
  }, 10);
  await more(sent, count);
  clearInterval(timer);
  return (count * 1000) / (sent[first + count]!.at - sent[first]!.at - stalledMs);
}

const STALL_MS = 50;
