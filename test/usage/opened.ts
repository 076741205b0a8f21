import { onTestFinished } from 'vitest';
import { type Meter, perMeter } from '../../src/meters.ts';
import { join } from 'node:path';
import { unitsInSqlite } from '../../src/shared/sqlite/units.ts';
import { createLedger } from '../../src/usage/ledger.ts';
import type { Ledger, LedgerOptions, Reservation, Spending } from '../../src/usage/units.ts';

/** A ledger with clocks of its own. */
export interface Opened {
  ledger: Ledger;
  /** What somebody else has spent, each time it was reported. */
  spentElsewhere: [meter: string, units: number][];
  /** What was reported about the file: the reason of each trouble, `recovered`, `moved`. */
  trouble: string[];
  /** Sets the wall clock, and nothing else. */
  at: (time: string) => void;
  /** Lets time pass on both clocks. */
  advance: (ms: number) => void;
}

export interface OpenOptions extends Partial<Omit<LedgerOptions, 'store'>> {
  /** The folder of the file; undefined: it is in memory. */
  dataDir?: string;
}

export function open({ dataDir, ...options }: OpenOptions = {}): Opened {
  let now = Date.parse('2026-11-20T12:00:00+03:00');
  let monotonic = 0;
  const spentElsewhere: Opened['spentElsewhere'] = [];
  const trouble: string[] = [];
  const store = unitsInSqlite({
    path: dataDir === undefined ? ':memory:' : join(dataDir, 'ledger.sqlite'),
    now: () => now,
    onTrouble: {
      begins: (reason) => trouble.push(reason),
      ends: () => trouble.push('recovered'),
      moved: () => trouble.push('moved'),
    },
  });
  const ledger = createLedger({
    store,
    limits: perMeter(() => undefined),
    timezone: 'Europe/Istanbul',
    now: () => now,
    monotonic: () => monotonic,
    onSpentElsewhere: (meter, units) => spentElsewhere.push([meter, units]),
    ...options,
  });
  onTestFinished(() => ledger.close());
  const at = (time: string) => void (now = Date.parse(time));
  const advance = (ms: number) => {
    now += ms;
    monotonic += ms;
  };
  return { ledger, spentElsewhere, trouble, at, advance };
}

export const limited = (fx: number) => ({ limits: { ...perMeter(() => undefined), fx } });
export const usedOf = ({ ledger }: Opened) => ledger.states().fx.usedThisMonth;

/** Spending without a name. */
export const UNNAMED: Spending = { operation: '', dataset: '' };

/** Returns the reservation that a ledger gives at once; undefined if it refuses. */
export function reserve({ ledger }: Pick<Opened, 'ledger'>, meter: Meter): Reservation | undefined {
  const given = ledger.reserve(meter, UNNAMED);
  if (given instanceof Promise) throw new Error('the reservation is not synchronous');
  return typeof given === 'string' ? undefined : given;
}
