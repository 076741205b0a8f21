import { setTimeout as pause } from 'node:timers/promises';
import { perMeter } from '../../src/meters.ts';
import { openServer } from '../../src/shared/valkey/server.ts';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { unitsInValkey } from '../../src/shared/valkey/units.ts';
import { sinceStart } from '../../src/monotonic.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Ledger, Payer } from '../../src/usage/units.ts';

/** Ledgers that share a file or a server, and clients that spend as fast as they may. */

/** A Friday at noon in the middle of a month, so that the day does not end during a test. */
export const NOON = Date.parse('2026-11-20T12:00:00+03:00');

/** Where ledgers share: in a file, or on a server. */
export type Place = { path: string } | { url: string };

export interface LedgerAt {
  place: Place;
  /** The current time, in epoch milliseconds. */
  now?: number | undefined;
  timezone?: string | undefined;
  /** Limit of credits for the month. */
  limit?: number | undefined;
}

const onTrouble = { begins: () => undefined, ends: () => undefined };

/** Opens a ledger as a separate process would, with its own connection. */
export async function openLedger(
  { place, now: at = NOON, timezone = 'Europe/Istanbul', limit }: LedgerAt,
  now = () => at,
) {
  const server = 'url' in place ? openServer({ url: place.url, onTrouble }) : undefined;
  await server?.ready(1000);
  const store =
    'path' in place
      ? unitsInSqlite({ path: place.path, now, onTrouble })
      : unitsInValkey({ server: server!, base: '{test}:' });
  const ledger = createLedger({
    store,
    limits: { ...perMeter(() => undefined), credits: limit },
    timezone,
    now,
    monotonic: sinceStart,
    onSpentElsewhere: () => undefined,
  });
  const close = async () => {
    await ledger.close();
    server?.close();
  };
  return { ledger, close };
}

/** Called when a client spends a unit, or is given one back (-1), as an upstream would count it. */
export type Note = (client: string, units: 1 | -1) => void;

/**
 * How many refusals in a row end the spending. A refusal may be over in a moment: units are given back, and a process
 * that found the store busy reports half a second later.
 */
const REFUSALS = 12;
const AFTER_REFUSAL_MS = 60;
const UNCERTAIN_MS = 20;

/**
 * Spends until there is nothing left, or until it is told to stop; returns the reasons for refusals. One request in
 * ten costs nothing. What is noted is never more than what is counted in the store at that moment.
 */
async function spend(
  ledger: Ledger,
  payer: Payer,
  note: Note,
  isOver = () => false,
): Promise<string[]> {
  const refused: string[] = [];
  const spending = { payer, operation: 'Q', dataset: 'crypto' };
  for (let refusals = 0; refusals < REFUSALS && !isOver();) {
    const given = await ledger.reserve('credits', spending);
    if (typeof given === 'object') {
      refusals = 0;
      note(payer.name, 1);
      await pause(Math.random() * 3);
      const units = Math.random() < 0.1 ? 0 : 1;
      if (units === 0) note(payer.name, -1);
      given.end({ units });
      continue;
    }
    refused.push(given);
    if (given !== 'UNCERTAIN') refusals += 1;
    await pause(given === 'UNCERTAIN' ? UNCERTAIN_MS : AFTER_REFUSAL_MS);
  }
  return refused;
}

/** How many clients of each name spend at a time in a process. */
const AT_ONCE = 3;

/** Lets AT_ONCE clients of each name spend; returns the reasons for all refusals. */
export async function spendAll(
  ledger: Ledger,
  payers: readonly Payer[],
  note: Note,
  isOver?: () => boolean,
): Promise<string[]> {
  const all = payers.flatMap((payer) => Array.from({ length: AT_ONCE }, () => payer));
  return (await Promise.all(all.map((payer) => spend(ledger, payer, note, isOver)))).flat();
}

/** Counts units by client: those spent now (`spent`), and the most at any moment (`peak`). */
export function createCount() {
  const spent: Record<string, number> = {};
  const peak: Record<string, number> = {};
  const add = (name: string, units: number) => {
    spent[name] = (spent[name] ?? 0) + units;
    peak[name] = Math.max(peak[name] ?? 0, spent[name]);
  };
  const note: Note = (client, units) => {
    add(client, units);
    add('all', units);
  };
  return { spent, peak, note };
}

/** A budget of credits. */
export const budget = (window: 'DAY' | 'MONTH', limit: number) =>
  ({ meter: 'credits', window, limit }) as const;
