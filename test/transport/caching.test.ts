import { expect, test } from 'vitest';
import { change } from '../e2e/change.ts';
import { type Bench, open } from '../harness.ts';

/** What clients and intermediate caches that already have an answer are told. */

const QUERY = '{ fxRates { totalCount } }';
const SEARCH = `?${String(new URLSearchParams({ query: QUERY }))}`;
const ACCEPT = { accept: 'application/json' };

async function etagOf({ send }: Bench): Promise<string> {
  const { headers } = await send({ headers: ACCEPT }, SEARCH);
  return headers.get('etag') ?? '';
}

test.for(['W/"x"', '"x"', '"a", W/"x" ,"b"', '*'])(
  'an answer that the client has is not sent again: %s',
  async (tags) => {
    const bench = await open();
    const etag = await etagOf(bench);
    const known = tags.replace(/(W\/)?"x"/, (tag) => tag.replace('"x"', etag.replace('W/', '')));
    const accepts = [ACCEPT, { accept: 'application/json, text/plain' }];
    // The first is kept as a whole, the second is assembled again.
    for (const accept of accepts) {
      const headers = { ...accept, 'if-none-match': known };
      const { status, headers: answered } = await fetch(bench.url + SEARCH, { headers });
      expect([status, answered.get('etag')]).toEqual([304, etag]);
    }
  },
);

test('a 304 states its cost in a header', async () => {
  const bench = await open({ unreadUnits: 1 });
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

test('a kept answer states what has been spent meanwhile', async () => {
  const { ask, cost } = await open();
  await ask(QUERY);
  const spent = async () => (await ask(QUERY)).extensions.usage.fx.usedThisMonth;
  expect([await spent(), await spent()]).toEqual([1, 1]);
  expect(await cost('{ fxRate(pair: "USDTRY") { history { points { date } } } }')).toBe(1);
  expect([await spent(), await spent()]).toEqual([2, 2]);
});

test('an answer from which an unreadable record was left out is cached for as long as it is fresh', async () => {
  const bench = await open();
  change(bench, '/v1/fx/rates', ([first, ...others]) => [{ ...first, buying: null }, ...others]);
  for (const source of ['upstream', 'cache']) {
    const { headers, extensions } = await bench.send({ headers: ACCEPT }, SEARCH);
    expect([source, extensions.warnings]).toEqual([source, [expect.anything()]]);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=(59|60)$/);
  }
  expect(bench.log()).toContain('"kept answer"');
  const headers = { ...ACCEPT, 'if-none-match': await etagOf(bench) };
  expect((await fetch(bench.url + SEARCH, { headers })).status).toBe(304);
});

test('intermediate caches are told that a dry run has another answer, and keep none', async () => {
  const { send } = await open();
  const { headers } = await send({ headers: ACCEPT }, SEARCH);
  expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  const dry = await send({ headers: { ...ACCEPT, 'x-usage-dry-run': '1' } }, SEARCH);
  expect(dry.headers.get('cache-control')).toBe('no-store');
});

test('intermediate caches are told of each header that an answer depends on', async () => {
  const { send } = await open();
  const { headers } = await send({ headers: ACCEPT }, SEARCH);
  const named = headers.get('vary')?.split(', ');
  const client = 'apollographql-client-name';
  const expected = ['Accept', 'Accept-Encoding', 'Origin', client, 'x-usage-dry-run'];
  expect(named).toEqual(expect.arrayContaining(expected));
});

const HEAD = { method: 'HEAD', headers: ACCEPT };

/** Status and headers, without those about time and connection. */
const headOf = ({ status, headers }: Response) => {
  const named = new Headers(headers);
  for (const name of ['date', 'connection', 'keep-alive']) named.delete(name);
  return { status, named: Object.fromEntries(named) };
};

test('HEAD gets the head of the same GET, over the network and embedded', async () => {
  const bench = await open({ unreadUnits: 1 });
  for (const ask of [fetch, bench.fetch])
    for (const search of [SEARCH, '?query={nothing}', '?documentId=x', '']) {
      const address = bench.url + search;
      // The first one spends the units, and states it.
      await (await ask(new Request(address, { headers: ACCEPT }))).text();
      const got = await ask(new Request(address, { headers: ACCEPT }));
      const head = await ask(new Request(address, HEAD));
      const length = Number(got.headers.get('content-length'));
      const expected = headOf(got);
      // Without a body, this header states the cost.
      expected.named['x-usage-used'] = 'fx=0, macro=0, credits=0';
      expect([headOf(head), await head.text()]).toEqual([expected, '']);
      expect((await got.arrayBuffer()).byteLength).toBe(length);
    }
  expect(bench.sandbox.requests()).toHaveLength(1);
});

test('HEAD of an answer that the client has is 304, as GET', async () => {
  const bench = await open();
  const headers = { ...ACCEPT, 'if-none-match': await etagOf(bench) };
  const { status } = await fetch(bench.url + SEARCH, { method: 'HEAD', headers });
  expect(status).toBe(304);
});
