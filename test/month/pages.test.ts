import { expect, test } from 'vitest';
import { EXCHANGES } from '../../src/sandbox/lists/exchanges.ts';
import { open } from '../harness.ts';
import { HOUR_MS } from '../../src/time.ts';

/** Pages that send many requests at once, while the balance is all that limits what is left. */

const CREDITS = 300;
const LISTS = EXCHANGES.slice(0, 4).flatMap(([exchange], i) =>
  ['USD', 'TRY', 'EUR'].map(
    (currency) =>
      `${currency}${i}: cryptoAssets(first: 1, convert: ${currency}, filter: { exchange: "${exchange}" }) { totalCount }`,
  ),
);

test('requests in flight are not taken for units that were bought', async () => {
  const { get, clock, sandbox } = await open({ credits: CREDITS });
  for (let hour = 0; hour < 96; hour += 0.5) {
    // A comment makes it another text, which no kept answer has.
    await get(`{ ${LISTS.join(' ')} } # ${hour}`);
    clock.advance(HOUR_MS / 2);
  }
  // A part of the month is left, and so is a part of the units.
  expect(sandbox.spent().credits).toBeLessThan(CREDITS - 30);
});
