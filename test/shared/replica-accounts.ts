import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { openServer } from '../../src/shared/valkey/server.ts';
import type { Purpose, UnitStore } from '../../src/shared/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { openAccount } from '../../src/usage/open-account.ts';
import { startValkey } from './valkey-server.ts';

/** Replicas that share an account on a server, and what may happen to the changes that they make. */

const ID = { month: '2026-11', meter: 'credits' } as const;
export const purpose: Purpose = { client: '', operation: 'Q', dataset: 'd', hour: 7, budgets: [] };
/** The first two seconds of a server, in which nothing is granted, and some time until a busy one has begun them. */
export const BEGINNING_MS = 2600;

/** On a busy machine the server may answer too late: where nothing is to be lost, a replica tries again. */
const MAX_RETRIES = 5;
const RETRY_AFTER_MS = 200;

type Fate = 'arrives' | 'is lost' | 'loses its answer';

/** Opens a replica's account. `way` decides the fate of each change on its way to the server. */
export async function openReplica(url: string, limit: number | undefined) {
  const server = openServer({ url, onTrouble: { begins() {}, ends() {} } });
  onTestFinished(server.close);
  await server.ready(1000);
  const store = unitsInValkey({ server, base: '{test}:' });
  const way = { next: [] as Fate[], all: 'arrives' as Fate };
  const apply: UnitStore['apply'] = async (id, change) => {
    const fate = way.next.shift() ?? way.all;
    if (fate === 'is lost') return undefined;
    const applied = await store.apply(id, change);
    return fate === 'arrives' ? applied : undefined;
  };
  const account = openAccount(ID, {
    store: { ...store, apply },
    limit,
    now: Date.now,
    monotonic: () => performance.now(),
    onSpentElsewhere: () => expect.unreachable('nobody else spends'),
  });
  /** Spends `cost` units at a time until it is refused; returns the total. */
  async function spend(cost = 1): Promise<number> {
    let spent = 0;
    let tries = 0;
    while (tries <= MAX_RETRIES) {
      const taken = await account.take({ purpose, cost });
      tries = typeof taken === 'object' ? 0 : tries + 1;
      if (typeof taken === 'object') spent += cost;
      else if (taken !== 'UNCERTAIN' || way.all !== 'arrives') break;
      else await pause(RETRY_AFTER_MS);
    }
    return spent;
  }
  async function close(): Promise<void> {
    await store.beginClose();
    await account.settle(true);
  }
  return { account, way, spend, close };
}

type Replica = Awaited<ReturnType<typeof openReplica>>;

export async function sendHeartbeat({ account, way }: Replica): Promise<void> {
  account.sendHeartbeat();
  await expect.poll(() => way.next.length).toBe(0);
  await pause(20);
}

/** Sends heartbeats until the test is over. */
export function keepAlive({ account }: Replica): void {
  const heartbeats = setInterval(() => account.sendHeartbeat(), 50);
  onTestFinished(() => clearInterval(heartbeats));
}

export async function openTwo(limit: number) {
  const { url } = await startValkey();
  const [one, other] = [await openReplica(url, limit), await openReplica(url, limit)];
  await sendHeartbeat(one);
  await pause(BEGINNING_MS);
  await sendHeartbeat(one);
  return [one, other] as const;
}
