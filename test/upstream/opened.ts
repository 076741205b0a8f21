import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { perMeter } from '../../src/meters.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createUpstreamClient } from '../../src/upstream/client.ts';
import type { Endpoint, Target } from '../../src/upstream/endpoint.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import type { RequestEnd } from '../../src/upstream/request-end.ts';
import type { GroupAccess } from '../../src/upstream/group.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { FRIDAY_NOON } from '../sandbox/harness.ts';

/** A client over a sandbox, with a wall clock and a monotonic clock of its own. */

const record = z.compile(z.unknown());
const crypto: Endpoint<unknown> = {
  name: 'crypto',
  route: '/crypto/prices',
  source: 'crypto',
  group: 'B',
  meter: 'credits',
  record,
  label: 'symbol',
  emptyOn404: true,
};
const rates: Endpoint<unknown> = {
  ...crypto,
  name: 'fx',
  route: '/v1/fx/rates',
  group: 'A',
  meter: 'fx',
};

export const ENDPOINTS = {
  rates: { endpoint: rates, target: { path: ['v1', 'fx', 'rates'] } },
  crypto: { endpoint: crypto, target: { path: ['crypto', 'prices'] } },
} satisfies Record<string, { endpoint: Endpoint<unknown>; target: Target }>;

export interface Options extends SandboxOptions {
  groupA?: Partial<GroupAccess>;
  groupB?: Partial<GroupAccess>;
  maxRequests?: number;
  timeoutMs?: number;
}

export async function open(given: Options = {}) {
  const { groupA, groupB, maxRequests = 100, timeoutMs = 5000, ...options } = given;
  const clocks = { wall: FRIDAY_NOON, monotonic: 0 };
  const sandbox = await startSandbox({ now: () => FRIDAY_NOON, ...options });
  const around = { now: () => clocks.wall, monotonic: () => clocks.monotonic };
  const ends: RequestEnd[] = [];
  const common = { timezone: 'Europe/Istanbul', timeoutMs, ...around };
  const onTrouble = { begins: () => undefined, ends: () => undefined };
  const ledger = createLedger({
    store: unitsInSqlite({ path: ':memory:', now: around.now, onTrouble }),
    limits: perMeter(() => undefined),
    onSpentElsewhere: () => undefined,
    ...common,
  });
  const reached = ({ url, key }: { url: string; key: string }, other?: Partial<GroupAccess>) => ({
    baseUrl: url,
    key,
    requestsPerSecond: undefined,
    ...other,
  });
  const client = createUpstreamClient({
    upstreams: { A: reached(sandbox.groupA, groupA), B: reached(sandbox.groupB, groupB) },
    ledger,
    onRequestEnd: (end) => ends.push(end),
    maxUnitsPerRequest: 1000,
    bytesPerSecond: 1e6,
    ...common,
  });
  onTestFinished(async () => {
    await client.close(0);
    await ledger.close();
    await sandbox.close();
  });
  const begin = (patienceMs = 0) =>
    startOperation({ maxRequests, deadline: clocks.monotonic + patienceMs });
  /** Requests one dataset; returns the failure's code, or `ok`. */
  const ask = (name: keyof typeof ENDPOINTS, operation = begin()): Promise<string> => {
    const { endpoint, target } = ENDPOINTS[name];
    return client
      .fetch(endpoint, () => target, operation)
      .then(
        () => 'ok',
        (error: unknown) => String(Object(error).code),
      );
  };
  return { client, ledger, sandbox, clocks, ends, begin, ask };
}
