import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { openKeys, post } from '../keys/clients.ts';
import { assetsBelow500 } from '../upstream.ts';
import { estimateOf } from './estimate.ts';

/** What bounds the maximum of an estimate if not everything that may follow can be sent. */

const DEAR = 3;

/** Opens a gateway that knows that these requests cost three units each, and that lists of changes may be cut short. */
async function openWithDear(path: '/crypto' | '/legislation', env: Record<string, string>) {
  const unreadUnits = { credits: 0 };
  const gateway = await open({ env, unreadUnits, legislationPageSize: 5 });
  const { sandbox, get } = gateway;
  const stated = { creditsUsed: DEAR, creditsRemaining: undefined };
  sandbox.fault({ kind: 'rewrite', path, rewrite: (body) => Object.assign({}, body, stated) });
  await get(
    '{ legislationChanges(filter: { start: "2026-06-01", end: "2026-07-01" }) { totalCount } }',
  );
  await get('{ cryptoAsset(symbol: "BTC", exchange: "kraken") { price } }');
  // The sandbox counts one unit for each.
  const dear = sandbox.requests().filter((request) => request.path.startsWith(path));
  unreadUnits.credits = -(DEAR - 1) * dear.length;
  return gateway;
}

/** Each field is certain to need one request, and may need one more. */
const queryFor = ({ sandbox }: Bench) => `{
  legislationChanges(filter: { start: "2026-10-01" }) { totalCount }
  cryptoAsset(symbol: "${assetsBelow500(sandbox, 1)[0]}") { price }
}`;
const CERTAIN = DEAR + 1;

test.each(['/crypto', '/legislation'] as const)(
  'of two requests that may follow, the maximum has the dearer one if only one may be sent: %s',
  async (path) => {
    const gateway = await openWithDear(path, { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '3' });
    const { least, most } = await estimateOf(gateway, queryFor(gateway));
    expect([least.credits, most.credits]).toEqual([CERTAIN, CERTAIN + DEAR]);
  },
);

test('requests that may follow are together estimated at no more than a limit leaves', async () => {
  const left = CERTAIN + DEAR;
  // Two lists of changes, as the first was cut short, and a price have been paid for by then.
  const env = { CREDITS_MONTHLY_LIMIT: String(2 * DEAR + 1 + left) };
  const gateway = await openWithDear('/legislation', env);
  const { least, most } = await estimateOf(gateway, queryFor(gateway));
  expect([least.credits, most.credits]).toEqual([CERTAIN, left]);
});

test('what may follow is bounded by the units of an operation that are left for it', async () => {
  const { bench, ask, headersOf } = await openKeys([{ name: 'small', maxUnitsPerOperation: 3 }]);
  const query = '{ cryptoAssets { totalCount } fxRates { nodes { history { change } } } }';
  const dry = await bench.send(post(query, { ...headersOf('small'), 'x-usage-dry-run': '1' }));
  expect(dry.extensions.usage.estimate).toEqual({
    least: { fx: 1, macro: 0, credits: 1 },
    most: { fx: 2, macro: 0, credits: 1 },
  });
  const { fx, credits } = (await ask('small', query)).extensions.usage;
  expect([fx.used, credits.used]).toEqual([2, 1]);
});

test('no more is estimated than the balance that the upstream has stated', async () => {
  const bench = await open({ credits: 2 });
  await bench.get('{ legislationChanges(first: 1) { totalCount } }');
  const query = '{ calendarEvents { totalCount } cryptoAssets { totalCount } }';
  const { most, errors } = await estimateOf(bench, query);
  expect(most.credits).toBe(1);
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS' } }]);
});
