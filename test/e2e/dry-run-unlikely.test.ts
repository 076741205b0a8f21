import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';
import { estimateOf, spend } from './estimate.ts';

/** Dry runs of operations that would send a request only if the next answer differs from the last one. */

const HOUR_MS = 3_600_000;

const UNLIKELY: [what: string, query: string][] = [
  ['a pair', '{ fxRate(pair: "XXXYYY") { mid history { change } } }'],
  ['a series', '{ macroSeries(code: "TP.NONE") { name observations { change } } }'],
  [
    'an event',
    '{ calendarEvents(filter: { countries: ["XX"] }) { nodes { fxRates { mid history { change } } } } }',
  ],
];

test.each(UNLIKELY)(
  'what belongs to %s that the last list lacked is not sent, and counts as possible only',
  async (_what, query) => {
    const gateway = await open();
    await spend(gateway, query);
    gateway.clock.advance(7 * HOUR_MS);
    const { least, most } = await estimateOf(gateway, query);
    const spent = await spend(gateway, query);
    expect(least).toEqual(spent);
    expect(most.fx + most.macro).toBeGreaterThan(spent.fx + spent.macro);
  },
);

test('what is only possible takes no unit of the maximum from what is certain', async () => {
  const { bench, ask, headersOf } = await openKeys([{ name: 'small', maxUnitsPerOperation: 2 }]);
  const query = '{ fxRate(pair: "XXXYYY") { mid history { change } } cryptoAssets { totalCount } }';
  await ask('small', query);
  bench.clock.advance(HOUR_MS);
  const dry = await bench.send({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-usage-dry-run': '1',
      ...headersOf('small'),
    },
    body: JSON.stringify({ query }),
  });
  expect(dry.errors).toEqual([]);
  expect(dry.extensions.usage.estimate).toMatchObject({ least: { fx: 1, credits: 1 } });
  const { errors, extensions } = await ask('small', query);
  expect(errors).toEqual([]);
  expect([extensions.usage.fx.used, extensions.usage.credits.used]).toEqual([1, 1]);
});
