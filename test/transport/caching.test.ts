import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';

/** What clients and caches in between that have an answer already are told. */

const QUERY = '{ fxRates { totalCount } }';
const SEARCH = `?${String(new URLSearchParams({ query: QUERY }))}`;
const ACCEPT = { accept: 'application/json' };

async function etagOf({ send }: Bench): Promise<string> {
  const { headers } = await send({ headers: ACCEPT }, SEARCH);
  return headers.get('etag') ?? '';
}

test.for(['W/"x"', '"x"', '"a", W/"x" ,"b"', '*'])(
  'an answer that is known is not sent again: %s',
  async (tags) => {
    const bench = await open();
    const etag = await etagOf(bench);
    const known = tags.replace(/(W\/)?"x"/, (tag) => tag.replace('"x"', etag.replace('W/', '')));
    const accepts = [ACCEPT, { accept: 'application/json, text/plain' }];
    // The first is kept whole, the second is put together again.
    for (const accept of accepts) {
      const headers = { ...accept, 'if-none-match': known };
      const { status, headers: answered } = await fetch(bench.url + SEARCH, { headers });
      expect([status, answered.get('etag')]).toEqual([304, etag]);
    }
  },
);

test('an answer that is known is told by its headers what it cost to know that', async () => {
  const bench = await open({ unheard: 1 });
  const etag = await etagOf(bench);
  const headers = { ...ACCEPT, 'if-none-match': etag };
  const again = async () => {
    const { status, headers: answered } = await fetch(bench.url + SEARCH, { headers });
    return [status, answered.get('x-usage-used')];
  };
  expect(await again()).toEqual([304, 'fx=0, macro=0, credits=0']);
  bench.clock.advance(60_000);
  expect(await again()).toEqual([304, 'fx=1, macro=0, credits=0']);
});

test('an answer that is kept tells what has been spent meanwhile', async () => {
  const { ask, cost } = await open();
  await ask(QUERY);
  const spent = async () => (await ask(QUERY)).extensions.usage.fx.usedThisMonth;
  expect([await spent(), await spent()]).toEqual([1, 1]);
  expect(await cost('{ fxRate(pair: "USDTRY") { history { points { date } } } }')).toBe(1);
  expect([await spent(), await spent()]).toEqual([2, 2]);
});

test('caches in between are told that a dry run is another answer, and keep none', async () => {
  const { send } = await open();
  const { headers } = await send({ headers: ACCEPT }, SEARCH);
  expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  expect(headers.get('vary')?.split(', ')).toContain('x-usage-dry-run');
  const dry = await send({ headers: { ...ACCEPT, 'x-usage-dry-run': '1' } }, SEARCH);
  expect(dry.headers.get('cache-control')).toBe('no-store');
});
