import { expect, test } from 'vitest';
import { type Bench, open, type OpenOptions } from '../harness.ts';

/**
 * Many different assets are asked for, one at a time, over a line on which the list of all 500 would take too long for
 * each of them. The line is slow in real time.
 */

let skippedMs = 0;
const LINE: OpenOptions = {
  bytesPerSecond: 2_000_000,
  monotonic: () => performance.now() + skippedMs,
};
/** The speed is not known yet. */
const UNKNOWN_LINE = { UPSTREAM_BYTES_PER_SECOND: '1000000' };
const TTL_MS = 30_000;

/** The tickers of the assets from rank 201 on. */
function symbolsOf({ sandbox }: Bench): string[] {
  const { body } = sandbox.answer('B', '/crypto/prices?limit=500');
  return (body as { data: { symbol: string }[] }).data.map(({ symbol }) => symbol).slice(200);
}

/** The tickers of each request. */
const requested = ({ sandbox }: Bench) =>
  sandbox.requests().map(({ path }) => {
    const { searchParams } = new URL(path, 'http://upstream');
    return searchParams.get('symbols')?.split(',') ?? [];
  });

/** Until all that is cached has expired. */
function skipTime({ clock }: Bench): void {
  skippedMs += TTL_MS + 1;
  clock.advance(TTL_MS + 1);
}

/** Asks for one asset after the other, and returns how many requests that took. */
async function spendOn({ cost }: Bench, symbols: readonly string[]): Promise<number> {
  let units = 0;
  for (const symbol of symbols)
    units += await cost(`{ cryptoAsset(symbol: "${symbol}") { price } }`);
  return units;
}

test('once many are asked for, all are requested as a list, and later by ticker, as many as fit', async () => {
  const bench = await open({ ...LINE, env: UNKNOWN_LINE });
  const symbols = symbolsOf(bench);
  expect(await spendOn(bench, symbols.slice(0, 40))).toBeLessThanOrEqual(20);
  skipTime(bench);
  expect(await spendOn(bench, symbols.slice(40, 120))).toBeLessThanOrEqual(15);
});

test('tickers that were refused are not asked for along with others again', async () => {
  const bench = await open({ ...LINE, env: UNKNOWN_LINE });
  const symbols = symbolsOf(bench);
  await spendOn(bench, symbols.slice(0, 40));
  skipTime(bench);
  bench.sandbox.fault({ kind: 'status', status: 422, path: '/crypto/prices', times: 1 });
  expect(await spendOn(bench, symbols.slice(40, 41))).toBe(2);
  const [refused, alone] = requested(bench).slice(-2);
  expect(refused!.length).toBeGreaterThan(10);
  expect(alone).toEqual([symbols[40]]);
  await spendOn(bench, symbols.slice(-1));
  const last = requested(bench).at(-1)!;
  expect(last.length).toBeGreaterThan(2);
  expect(last.filter((one) => refused!.includes(one) && one !== symbols[40])).toEqual([]);
});
