import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { change } from '../e2e/change.ts';
import { type Bench, open } from '../harness.ts';
import { readReply } from '../reply.ts';

/** Queries for nearly all datasets; few enough that they are repeated while an answer is kept. */
const fields = fc.oneof(
  fc
    .constantFrom('USDTRY', 'EURTRY', 'EURUSD', 'XXXYYY')
    .map((pair) => `fxRate(pair: "${pair}") { mid history { change points { date } } }`),
  fc
    .constantFrom('TRY', 'USD')
    .map(
      (quote) =>
        `fxRates(filter: { quote: "${quote}" }, first: 3) { totalCount nodes { pair buying } provenance { retrievedAt stale } }`,
    ),
  fc
    .constantFrom('BTC', 'eth', 'NOPE')
    .map((symbol) => `cryptoAsset(symbol: "${symbol}") { price priceIn(convert: TRY) }`),
  fc
    .integer({ min: 1, max: 3 })
    .map((first) => `cryptoAssets(first: ${first}) { nodes { id price } timestamp }`),
  fc
    .constantFrom('TR', 'US')
    .map(
      (country) =>
        `calendarEvents(filter: { countries: ["${country}"] }) { nodes { event actual } timezone }`,
    ),
  fc
    .record({ type: fc.constantFrom('LAW', 'CIRCULAR'), day: fc.constantFrom('01', '13', '18') })
    .map(
      ({ type, day }) =>
        `legislationChanges(filter: { types: [${type}], start: "2026-11-${day}" }) { totalCount }`,
    ),
  fc
    .constantFrom('USD', 'EUR')
    .map((kind) => `macroCatalog(filter: { search: "${kind}" }) { totalCount nodes { code } }`),
  fc.constant('fxRate(pair: "wrong") { mid }'),
);
const question = fc
  .array(fields, { minLength: 1, maxLength: 3 })
  .map((asked) => `{ ${asked.map((field, i) => `f${i}: ${field}`).join(' ')} }`);
const step = fc.oneof(
  { weight: 12, arbitrary: question.map((query) => ({ query })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(500, 5000, 40_000, 400_000, 30_000_000).map((ms) => ({ ms })),
  },
  { weight: 1, arbitrary: fc.boolean().map((broken) => ({ broken })) },
);

/** Sends the same query to the same gateway in a way for which no whole answer is kept. */
async function askUncached(fetch: (request: Request) => Promise<Response>, query: string) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query });
  const response = await fetch(
    new Request('http://gateway/graphql', { method: 'POST', headers, body }),
  );
  return readReply(response.status, await response.text());
}

/** Compares both ways if the query costs nothing when repeated; returns whether it did. */
async function compare({ ask, fetch }: Bench, query: string): Promise<boolean> {
  await ask(query);
  const { data, errors, extensions } = await ask(query);
  const { requests, stale } = extensions.usage.upstream;
  if (errors.length > 0 || requests > 0 || stale > 0) return false;
  const again = await askUncached(fetch, query);
  expect({ data, errors: [] }).toEqual({ data: again.data, errors: again.errors });
  // Of several cached answers that would do, another one may be used, with the same warning in other words.
  expect(extensions.warnings === undefined).toBe(again.extensions.warnings === undefined);
  expect(again.extensions.usage.upstream.requests).toBe(0);
  return true;
}

const env = { TTL_FX_RATES: '10', TTL_CRYPTO: '10', TTL_CALENDAR: '60' };

/** Whether the upstream has a rate and an asset that cannot be read, and more legislation than it sends. */
test.for([false, true])(
  'a kept answer equals that of ordinary execution, whatever ages, fails or jumps; odd records: %s',
  async (hasOddRecords) => {
    const bench = await open({ env, ...(hasOddRecords && { legislationPageSize: 20 }) });
    const spoil = (path: string) =>
      change(bench, path, ([first, ...others]) => [{ ...first, ...UNREADABLE }, ...others]);
    let kept = 0;
    for (const action of fc.sample(step, { numRuns: 2500, seed: 20_261_120 })) {
      if ('ms' in action) bench.clock.advance(action.ms);
      else if ('query' in action) kept += (await compare(bench, action.query)) ? 1 : 0;
      else {
        bench.sandbox.clearFaults();
        // A refusal, since the breaker's pauses after an outage take real time.
        if (action.broken) bench.sandbox.fault({ kind: 'status', status: 401, times: 3 });
        if (hasOddRecords) ['/v1/fx/rates', '/crypto'].forEach(spoil);
      }
    }
    expect(kept).toBeGreaterThan(500);
  },
);

const UNREADABLE = { buying: null, price: null };
