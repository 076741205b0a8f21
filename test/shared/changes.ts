import { setTimeout as pause } from 'node:timers/promises';
import type { Change, Purpose } from '../../src/shared/units.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { startValkey } from './valkey-server.ts';

/** Changes of accounts on a server, as a process makes them. */

export const onTrouble = { begins: () => undefined, ends: () => undefined };
export const meter = 'credits';
export const NO_PURPOSE: Purpose = { client: '', operation: '', dataset: '', hour: 0, budgets: [] };
export const NO_CHANGE: Change = {
  number: 1,
  take: [],
  limit: 1,
  look: undefined,
  spent: [],
  ended: [],
  underWay: 0,
  held: 0,
};
export const BASE = '{test}:';
/** By how much a timer may fire early, and more. */
export const TIMER_MS = 20;

/** Opens a server past its first two seconds, in which nothing is granted if there is a limit. */
export async function openPastBeginning() {
  const { url, command } = await startValkey();
  const server = openServer({ url, onTrouble });
  await server.ready(1000);
  const units = unitsInValkey({ server, base: BASE });
  const first = await units.apply(
    { month: 'first', meter },
    { ...NO_CHANGE, take: [{ purpose: NO_PURPOSE, requests: 1, cost: 1 }] },
  );
  await pause(first!.waitMs! + TIMER_MS);
  return { server, units, command };
}
