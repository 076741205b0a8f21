import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { HOUR_MS } from '../../src/time.ts';

/** A configured limit, beside a balance that others spend from, too. */

const ASSETS = ['USD', 'TRY', 'EUR'].map(
  (convert) => `{ cryptoAssets(first: 1, convert: ${convert}) { nodes { symbol } } }`,
);
const HOURS = 4 * 24;

/** Returns the units spent in HOURS; `others` are units that somebody else spends per hour from the same balance. */
async function spendWithOthers(others: number): Promise<number> {
  const unreadUnits = { credits: others * HOURS };
  const env = { CREDITS_MONTHLY_LIMIT: '1100' };
  const { ask, clock, sandbox } = await open({ credits: 12_000, unreadUnits, env });
  const { url, key } = sandbox.groupB;
  clock.set('2026-10-31T21:00:00Z');
  let units = 0;
  for (let hour = 0; hour < HOURS; hour += 1) {
    for (const part of [0.31, 0.57]) {
      clock.advance(part * HOUR_MS);
      const { extensions } = await ask(ASSETS[(hour + Math.round(part)) % 3]!);
      units += extensions.usage.credits.used;
    }
    for (let i = 0; i < others; i += 1)
      await fetch(`${url}/crypto/prices?symbols=BTC`, {
        headers: { authorization: `apikey ${key}` },
      });
    clock.advance(0.12 * HOUR_MS);
  }
  return units;
}

test('what others spend does not reduce spending if our own limit is the tighter one', async () => {
  expect(await spendWithOthers(4)).toBe(await spendWithOthers(0));
});
