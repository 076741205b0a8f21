import { onTestFinished } from 'vitest';
import { perMeter } from '../../src/meters.ts';
import { openLedger } from '../../src/usage/ledger.ts';
import type { Ledger, LedgerOptions } from '../../src/usage/units.ts';

/** A ledger with clocks of its own. */
export interface Opened {
  ledger: Ledger;
  /** What somebody else spent, each time it was told. */
  spentElsewhere: [meter: string, units: number][];
  /** What was told of the file: the reason of each trouble, and `recovered`. */
  trouble: string[];
  /** Sets the wall clock, and nothing else. */
  at: (time: string) => void;
  /** Lets time pass on both clocks. */
  advance: (ms: number) => void;
}

export function open(options: Partial<LedgerOptions> = {}): Opened {
  let now = Date.parse('2026-11-20T12:00:00+03:00');
  let monotonic = 0;
  const spentElsewhere: Opened['spentElsewhere'] = [];
  const trouble: string[] = [];
  const ledger = openLedger({
    dataDir: undefined,
    limits: perMeter(() => undefined),
    timezone: 'Europe/Istanbul',
    now: () => now,
    monotonic: () => monotonic,
    onSpentElsewhere: (meter, units) => spentElsewhere.push([meter, units]),
    onFileTrouble: (reason) => trouble.push(reason),
    onFileRecovered: () => trouble.push('recovered'),
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
