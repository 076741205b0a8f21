import { onTestFinished } from 'vitest';
import { type Ledger, type LedgerOptions, openLedger } from '../../src/usage/ledger.ts';

/** A ledger with a clock of its own. */
export interface Opened {
  ledger: Ledger;
  /** What somebody else spent, each time it was told. */
  drifts: [meter: string, units: number][];
  at: (time: string) => void;
  advance: (ms: number) => void;
}

export function open(options: Partial<LedgerOptions> = {}): Opened {
  let now = Date.parse('2026-11-20T12:00:00+03:00');
  const drifts: Opened['drifts'] = [];
  const ledger = openLedger({
    dataDir: undefined,
    limits: { fx: undefined, macro: undefined, credits: undefined },
    timezone: 'Europe/Istanbul',
    now: () => now,
    onDrift: (meter, units) => drifts.push([meter, units]),
    ...options,
  });
  onTestFinished(() => ledger.close());
  const at = (time: string) => void (now = Date.parse(time));
  return { ledger, drifts, at, advance: (ms) => void (now += ms) };
}

export const limited = (fx: number) => ({ limits: { fx, macro: undefined, credits: undefined } });
export const usedOf = ({ ledger }: Opened) => ledger.state('fx').usedThisMonth;
