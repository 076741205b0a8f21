import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createDraw, type Draw } from '../bench/economy-random.ts';
import { type Bench, type Gateway, open, temporaryFolder } from '../harness.ts';
import { SHORT_TTLS } from '../times-to-live.ts';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import { METERS } from '../../src/meters.ts';

/** Accounts of many concurrent clients: every unit is accounted for, once. */

const CLIENTS = 16;

const SERIES = '{ points { value } }';
const FIELDS = [
  'fxRates(filter: { quote: "TRY" }) { totalCount }',
  'fxRate(pair: "EURUSD") { mid history { change } }',
  ...['USDTRY', 'EURTRY', 'GBPTRY'].flatMap((pair) => [
    `fxRate(pair: "${pair}") { mid history ${SERIES} }`,
    `fxRate(pair: "${pair}") { history(start: "2025-02-01", end: "2025-08-31") ${SERIES} }`,
  ]),
  `fxRate(pair: "EURTRY") { history(last: 900) ${SERIES} }`,
  `macroSeries(code: "TP.KTF10") { frequency observations(last: 60) ${SERIES} }`,
  'convert(from: "GBP", to: "USD") { result }',
  ...['TP.DK.USD.A', 'TP.FG.J0', 'TP.KTF10'].map(
    (code) => `macroSeries(code: "${code}") { name observations ${SERIES} }`,
  ),
  'macroCatalog { totalCount }',
  'macroCatalog(filter: { search: "faiz" }) { totalCount }',
  'legislationChanges { totalCount }',
  'legislationChanges(filter: { start: "2026-10-01", types: [LAW] }) { totalCount }',
  'legislationChanges(filter: { start: "2026-11-01", institution: "tbmm" }) { totalCount }',
  'calendarEvents(orderBy: { field: IMPORTANCE }) { totalCount }',
  'calendarEvents(filter: { start: "2026-11-01", countries: ["TR"] }) { nodes { event fxRates { mid } } }',
  'cryptoAssets(first: 10) { nodes { price priceIn(convert: TRY) } }',
  'cryptoAssets(filter: { symbols: ["BTC", "QRKR", "NOVZ"] }, convert: EUR) { totalCount }',
  'cryptoAsset(symbol: "ORBN", convert: TRY) { price }',
];

function drawOperation(draw: Draw): string {
  const fields = Array.from({ length: 1 + draw.whole(3) }, () => draw.among(FIELDS));
  return `{ ${fields.map((field, i) => `f${i}: ${field}`).join(' ')} }`;
}

interface Run {
  gateways: readonly Gateway[];
  operations: number;
  /** Called after each operation, to change the world. */
  after(done: number, draw: Draw): void;
}

/** Runs clients that each send one operation after the other; returns the units that all of them report in sum. */
async function run({ gateways, operations, after }: Run) {
  const used = { fx: 0, macro: 0, credits: 0 };
  let done = 0;
  const client = async (number: number) => {
    const draw = createDraw(number);
    while (done < operations) {
      const gateway = gateways[number % gateways.length]!;
      done += 1;
      const { extensions } = await gateway.ask(drawOperation(draw));
      for (const meter of METERS) used[meter] += extensions.usage[meter].used;
      after(done, draw);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return used;
}

/** Returns the units that the ledger has recorded. */
async function onRecord({ ask }: Gateway) {
  const { fx, macro, credits } = (await ask('{ usage { fx { limit } } }')).extensions.usage;
  return { fx: fx.usedThisMonth, macro: macro.usedThisMonth, credits: credits.usedThisMonth };
}

async function expectConservation(bench: Bench, used: object): Promise<void> {
  expect(used).toEqual(bench.sandbox.spent());
  expect(await onRecord(bench)).toEqual(bench.sandbox.spent());
  expect(Math.min(...Object.values(bench.sandbox.spent()))).toBeGreaterThan(50);
}

test('operations, ledger and upstream count the same units, and no URL is in flight twice', async () => {
  const bench = await open({ env: SHORT_TTLS, latencyMs: 2 });
  const after = () => bench.clock.advance(20);
  const used = await run({ gateways: [bench], operations: 2000, after });
  await expectConservation(bench, used);
  expect(bench.sandbox.peakSameUrl()).toBe(1);
});

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'status', status: 500, body: '<html>' },
  { kind: 'reset' },
  { kind: 'reset-mid-body' },
  { kind: 'truncated-json' },
  { kind: 'not-json' },
  { kind: 'delay', delayMs: 30 },
  { kind: 'rewrite', rewrite: () => ({ success: true }) },
];

test('the counts agree while the upstream fails in every way', async () => {
  const bench = await open({ env: SHORT_TTLS, latencyMs: 1 });
  const after = (done: number, draw: Draw) => {
    bench.clock.advance(20);
    if (done % 10 > 0) return;
    bench.sandbox.clearFaults();
    // More in a row would open the breaker, for longer than the whole test takes.
    bench.sandbox.fault({ ...draw.among(FAULTS), times: 1 });
  };
  const used = await run({ gateways: [bench], operations: 2000, after });
  await expectConservation(bench, used);
  expect(bench.sandbox.peakSameUrl()).toBe(1);
});

test('the counts agree while another process locks the ledger again and again', async () => {
  const env = { ...SHORT_TTLS, DATA_DIR: temporaryFolder() };
  const bench = await open({ env, latencyMs: 1 });
  const other = new DatabaseSync(join(env.DATA_DIR, 'ledger.sqlite'), { timeout: 1000 });
  let ended = 0;
  const after = () => {
    bench.clock.advance(20);
    ended += 1;
    if (ended % 50 === 0) other.exec(other.isTransaction ? 'COMMIT' : 'BEGIN IMMEDIATE');
  };
  const used = await run({ gateways: [bench], operations: 2000, after });
  if (other.isTransaction) other.exec('COMMIT');
  const stored = other.prepare('SELECT sum(used) AS units FROM units');
  const units = Object.values(bench.sandbox.spent()).reduce((sum, spent) => sum + spent);
  await expect.poll(() => stored.get()).toEqual({ units });
  other.close();
  await expectConservation(bench, used);
});

test('monthly limits are spent to the last unit and never passed, by two gateways together', async () => {
  const limits = { FX_MONTHLY_LIMIT: '23', MACRO_MONTHLY_LIMIT: '17', CREDITS_MONTHLY_LIMIT: '31' };
  const env = { ...SHORT_TTLS, ...limits, DATA_DIR: temporaryFolder() };
  const bench = await open({ env, latencyMs: 1 });
  const gateways = [bench, await bench.another(env)];
  const after = () => bench.clock.advance(100);
  const used = await run({ gateways, operations: 800, after });
  expect(used).toEqual({ fx: 23, macro: 17, credits: 31 });
  expect(bench.sandbox.spent()).toEqual(used);
  expect(await onRecord(bench)).toEqual(used);
});

test('a unit in flight is still reported if its field has already failed', async () => {
  const { ask, sandbox, log } = await open();
  const release = sandbox.fault({ path: '/v1/fx/rates/', kind: 'hold' });
  sandbox.fault({ path: '/v1/fx/rates', kind: 'status', status: 401 });
  const replied = ask(`{ fxRate(pair: "USDTRY") { history ${SERIES} } }`);
  await expect.poll(() => sandbox.requests()).toHaveLength(2);
  await expect.poll(log).toContain('UPSTREAM_AUTHENTICATION');
  release();
  const { errors, extensions } = await replied;
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_AUTHENTICATION' } }]);
  expect(extensions.usage.upstream.requests).toBe(2);
  expect(extensions.usage.fx.used).toBe(1);
});
