import { expect, test } from 'vitest';
import { open } from '../harness.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

test('however far data are stretched, answers in lira serve dollar prices, too', async () => {
  const { clock, ask, sandbox } = await open({ env: { CREDITS_MONTHLY_LIMIT: '150' } });
  clock.set('2026-11-01T00:10:00+03:00');
  const question = '{ cryptoAsset(symbol: "BTC") { price priceIn(convert: TRY) } }';
  const askHourly = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      expect((await ask(question)).errors).toEqual([]);
      clock.advance(HOUR_MS);
    }
  };
  await askHourly(4 * DAY_HOURS);
  const before = sandbox.requests().length;
  await askHourly(10 * DAY_HOURS);
  const requests = sandbox.requests().slice(before);
  const inDollars = requests.filter(({ path }) => path.includes('convert=USD'));
  expect(requests.length).toBeGreaterThan(20);
  // While the time to live is much shorter than an hour, lira does not count as in use.
  expect(inDollars.length).toBeLessThan(requests.length / 10);
});
