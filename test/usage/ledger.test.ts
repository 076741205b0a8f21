import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Ledger,
  type LedgerOptions,
  openLedger,
  type Reservation,
} from '../../src/usage/ledger.ts';

const MINUTE = 60_000;

interface Opened {
  ledger: Ledger;
  /** What somebody else spent, each time it was told. */
  drifts: [meter: string, units: number][];
  at: (time: string) => void;
  advance: (ms: number) => void;
}

function open(options: Partial<LedgerOptions> = {}): Opened {
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

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const limited = (fx: number) => ({ limits: { fx, macro: undefined, credits: undefined } });
const usedOf = ({ ledger }: Opened) => ledger.state('fx').usedThisMonth;

test('a unit counts from the moment it is reserved, and is given back where nothing was charged', () => {
  const opened = open();
  const reservation = opened.ledger.reserve('fx');
  expect(usedOf(opened)).toBe(1);
  reservation?.settle(0);
  expect(usedOf(opened)).toBe(0);
  opened.ledger.reserve('fx')?.settle(3);
  expect(usedOf(opened)).toBe(3);
});

test('each meter is counted for itself', () => {
  const { ledger } = open(limited(1));
  for (const meter of ['fx', 'macro', 'macro', 'credits'] as const)
    ledger.reserve(meter)?.settle(1);
  expect(ledger.state('fx')).toEqual({ usedThisMonth: 1, limit: 1, remaining: 0 });
  expect(ledger.state('macro')).toEqual({ usedThisMonth: 2, limit: null, remaining: null });
  expect([ledger.isOpen('fx'), ledger.isOpen('macro')]).toEqual([false, true]);
});

test('a process that is killed loses no unit that it has reserved', () => {
  const dataDir = temporaryFolder();
  const source = JSON.stringify(new URL('../../src/usage/ledger.ts', import.meta.url).href);
  const program = `
    const { openLedger } = await import(${source});
    const limits = { fx: undefined, macro: undefined, credits: undefined };
    const ledger = openLedger({ dataDir: ${JSON.stringify(dataDir)}, limits,
      timezone: 'Europe/Istanbul', now: () => Date.parse('2026-11-20T12:00:00+03:00'), onDrift() {} });
    for (let i = 0; i < 7; i += 1) ledger.reserve('fx').settle(1);
    ledger.reserve('fx').settle(0);
    ledger.reserve('fx');
    process.kill(process.pid, 'SIGKILL');`;
  const run = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' });
  expect(run).toThrow(expect.objectContaining({ signal: 'SIGKILL' }));
  expect(usedOf(open({ dataDir }))).toBe(8);
});

test('two ledgers on one file never pass a limit together, and lose nothing', () => {
  const step = fc.record({
    which: fc.nat(1),
    settle: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.nat(8), fc.array(step, { maxLength: 40 }), (limit, steps) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'marketgraph-'));
      const both = [open({ dataDir, ...limited(limit) }), open({ dataDir, ...limited(limit) })];
      const held: Reservation[] = [];
      let spent = 0;
      for (const { which, settle } of steps) {
        const reservation = both[which]!.ledger.reserve('fx');
        expect(reservation !== undefined).toBe(spent < limit);
        if (reservation) spent += 1;
        if (reservation) held.push(reservation);
        if (settle !== undefined && held.length > 0) {
          held.pop()!.settle(settle);
          spent -= 1 - settle;
        }
      }
      expect(usedOf(open({ dataDir }))).toBe(spent);
      rmSync(dataDir, { recursive: true });
    }),
    { numRuns: 30 },
  );
});

test('a unit that another process gives back can be spent at once', () => {
  const dataDir = temporaryFolder();
  const [one, other] = [open({ dataDir, ...limited(1) }), open({ dataDir, ...limited(1) })];
  const last = one.ledger.reserve('fx');
  expect([other.ledger.isOpen('fx'), other.ledger.reserve('fx')]).toEqual([false, undefined]);
  last?.settle(0);
  expect(other.ledger.isOpen('fx')).toBe(true);
  expect(other.ledger.reserve('fx')).toBeDefined();
});

test('what other processes spend is shown a second later at most', () => {
  const dataDir = temporaryFolder();
  const [idle, busy] = [open({ dataDir }), open({ dataDir })];
  expect(usedOf(idle)).toBe(0);
  busy.ledger.reserve('fx')?.settle(1);
  idle.advance(1000);
  expect(usedOf(idle)).toBe(1);
});

test('a new month begins at zero, and a late answer is booked to the month it was asked in', () => {
  const opened = open(limited(1));
  const late = opened.ledger.reserve('fx');
  opened.at('2026-11-30T23:59:59+03:00');
  expect(opened.ledger.reserve('fx')).toBeUndefined();
  opened.at('2026-12-01T00:00:00+03:00');
  expect(usedOf(opened)).toBe(0);
  late?.settle(2);
  expect(usedOf(opened)).toBe(0);
  expect(opened.ledger.reserve('fx')).toBeDefined();
});

test('an exhausted meter is closed, is looked at again by one request a minute, and opens when that is paid', () => {
  const { ledger, advance } = open();
  ledger.reserve('credits')?.settle(0);
  ledger.noteExhausted('credits');
  expect(ledger.isOpen('credits')).toBe(false);
  expect(ledger.state('credits').remaining).toBe(0);
  advance(MINUTE - 1);
  expect(ledger.reserve('credits')).toBeUndefined();
  advance(1);
  const look = ledger.reserve('credits');
  expect(look).toBeDefined();
  expect([ledger.isOpen('credits'), ledger.reserve('credits')]).toEqual([false, undefined]);
  look?.settle(1);
  expect(ledger.isOpen('credits')).toBe(true);
});

test('an exhausted meter is open at once in a new month', () => {
  const { ledger, at } = open();
  at('2026-11-30T23:59:50+03:00');
  ledger.noteExhausted('macro');
  expect(ledger.isOpen('macro')).toBe(false);
  at('2026-12-01T00:00:00+03:00');
  expect(ledger.isOpen('macro')).toBe(true);
});

function spend({ ledger }: Opened, remaining: number): void {
  const reservation = ledger.reserve('credits');
  reservation?.settle(1);
  ledger.noteRemaining('credits', remaining);
}

test('what the upstream says is left is what remains, whatever the limit says', () => {
  const opened = open({ limits: { fx: undefined, macro: undefined, credits: 50 } });
  spend(opened, 4199);
  expect(opened.ledger.state('credits')).toEqual({ usedThisMonth: 1, limit: 50, remaining: 4199 });
});

test('units that somebody else spends are told once', () => {
  const opened = open();
  spend(opened, 99);
  spend(opened, 98);
  expect(opened.drifts).toEqual([]);
  spend(opened, 94);
  spend(opened, 80);
  expect(opened.drifts).toEqual([['credits', 3]]);
});

test('balances that arrive while requests are under way say nothing about others', () => {
  const opened = open();
  spend(opened, 99);
  const slow = opened.ledger.reserve('credits');
  spend(opened, 98);
  slow?.settle(0);
  spend(opened, 97);
  expect(opened.drifts).toEqual([]);
});
