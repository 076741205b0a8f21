import { expect, test } from 'vitest';
import { type Bench, open, temporaryFolder } from '../harness.ts';
import { HOUR_MS } from '../../src/time.ts';

/** A wrong balance that the upstream states for a while. */

const QUERY = `{
  cryptoAssets(first: 1) { provenance { retrievedAt } }
  usage { credits { remaining forecast { stretch } } }
}`;
/** Longer than an answer is fresh. */
const STEP_MS = 31_000;

interface Answer {
  cryptoAssets: { provenance: { retrievedAt: string } };
  usage: { credits: { remaining: number; forecast: { stretch: number } | null } };
}

type Asked = Pick<Bench, 'get'> & { bench: Pick<Bench, 'clock' | 'sandbox'> };

/** Asks again and again for `ms`; returns how many requests that took, and the last usage of credits. */
async function askFor({ get, bench }: Asked, ms: number) {
  const before = bench.sandbox.requests().length;
  let last: Answer | undefined;
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    bench.clock.advance(STEP_MS);
    last = await get<Answer>(QUERY);
  }
  return { requests: bench.sandbox.requests().length - before, credits: last!.usage.credits };
}

/** Opens a gateway whose last answers have stated that 3 credits are left. */
async function openWithWrongBalance() {
  const DATA_DIR = temporaryFolder();
  const bench = await open({ credits: 1_000_000, env: { DATA_DIR } });
  const asked = { get: bench.get, bench };
  await askFor(asked, 4 * STEP_MS);
  const rewrite = (body: unknown) => Object.assign({}, body, { creditsRemaining: 3 });
  bench.sandbox.fault({ kind: 'rewrite', group: 'B', rewrite });
  const { credits } = await askFor(asked, 4 * STEP_MS);
  expect(credits.remaining).toBe(3);
  expect(credits.forecast?.stretch).toBeGreaterThan(1000);
  return { asked, DATA_DIR, bench };
}

test('a wrong balance is found out within about an hour', async () => {
  const { asked, bench } = await openWithWrongBalance();
  bench.sandbox.clearFaults();
  const { credits } = await askFor(asked, HOUR_MS + 4 * STEP_MS);
  expect(credits.remaining).toBeGreaterThan(900_000);
  expect(credits.forecast?.stretch).toBe(1);
});

test('a wrong balance is also found out by a restarted process', async () => {
  const { bench, DATA_DIR } = await openWithWrongBalance();
  bench.sandbox.clearFaults();
  // Stored answers are fresh until the month is known again.
  const { get } = await bench.another({ DATA_DIR, TTL_CRYPTO: '300' });
  const { credits } = await askFor({ get, bench }, 1.2 * HOUR_MS);
  expect(credits.remaining).toBeGreaterThan(900_000);
});

test('a wrong balance that answers keep stating is believed, and costs few requests', async () => {
  const { asked } = await openWithWrongBalance();
  const { requests } = await askFor(asked, 20 * HOUR_MS);
  expect(requests).toBeGreaterThan(3);
  expect(requests).toBeLessThan(8);
});
