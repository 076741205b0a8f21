import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';

/** One operation may use only a limited part of the process, and lets others run meanwhile. */

const many = (count: number, field: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => field(i)).join(' ');

/** 500 ids of rates that exist. */
async function manyIds(get: (query: string) => Promise<unknown>): Promise<string[]> {
  const { fxRates } = (await get('{ fxRates(first: 10) { nodes { id } } }')) as {
    fxRates: { nodes: { id: string }[] };
  };
  return Array.from({ length: 500 }, (_, i) => fxRates.nodes[i % 10]!.id);
}

const TOO_LARGE = { extensions: { code: 'OPERATION_TOO_LARGE' } };

describe('the possible size is counted in advance', () => {
  const history = (below: string) => `... on FxRate { ${many(240, (i) => `h${i}: ${below}`)} }`;

  test.each([
    [
      'ids in a variable',
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ${history('history { points { date value } }')} } }`,
    ],
    [
      'aliases of a leaf below ids',
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on FxRate { ${many(2900, (i) => `p${i}: pair`)} } } }`,
    ],
    [
      'days of a range',
      `{ fxRate(pair: "USDTRY") { ${many(30, (i) => `h${i}: history(start: "1930-01-01") { points { date value } }`)} } }`,
    ],
    [
      'days of a range in a variable',
      `query ($start: Date) { fxRate(pair: "USDTRY") { ${many(30, (i) => `h${i}: history(start: $start) { points { date value } }`)} } }`,
    ],
    [
      'a page in a variable',
      `query ($first: Int) { cryptoAssets(first: $first) { nodes { ${many(2100, (i) => `p${i}: price`)} } } }`,
    ],
    ['the schema', `{ __schema { types { fields { ${many(1900, (i) => `n${i}: name`)} } } } }`],
  ])('%s', async (_what, query) => {
    const { ask, sandbox } = await open();
    const ids = Array.from({ length: 500 }, () => 'FxRate:USDTRY');
    const { data, errors } = await ask(query, { ids, start: '1930-01-01', first: 500 });
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([TOO_LARGE]);
    expect(sandbox.requests()).toEqual([]);
  });

  test('a page that a variable makes small is served', async () => {
    const { ask } = await open();
    const query = `query ($first: Int) { cryptoAssets(first: $first) { nodes { ${many(1500, (i) => `p${i}: price`)} } } }`;
    expect((await ask(query, { first: 2 })).errors).toEqual([]);
  });
});

describe('the actual size is counted while an operation runs', () => {
  const PAGE = '{ cryptoAssets(first: 500) { nodes { symbol name price } } }';
  const PLAIN =
    '{ cryptoAssets(first: 500) { nodes { ... @include(if: true) { symbol name price } } } }';

  test.each([
    ['bytes of compiled selections', PAGE, { MAX_ANSWER_BYTES: '10000' }],
    [
      'bytes of everything else',
      many(8, (i) => `a${i}: ${PLAIN.slice(1, -1)}`),
      { MAX_ANSWER_BYTES: '10000' },
    ],
    ['values', PLAIN, { MAX_VALUES_PER_OPERATION: '1000' }],
  ])('%s: one error, and the account of what was spent', async (_what, query, env) => {
    const { ask, cost, sandbox } = await open({ env });
    const text = query.startsWith('{') ? query : `{ ${query} }`;
    const { data, errors, extensions } = await ask(text);
    expect(data).toBeNull();
    expect(errors).toMatchObject([TOO_LARGE]);
    expect(errors[0]?.message).toContain(Object.keys(env)[0]);
    expect(extensions.usage.credits.used).toBe(1);
    expect(sandbox.requests()).toHaveLength(1);
    expect(await cost('{ cryptoAssets(first: 1) { totalCount } }')).toBe(0);
  });

  test('data that are written a second time, because a field beside them fails, count once', async () => {
    const page = `cryptoAssets(first: 500) { nodes { ${many(12, (i) => `price${i}: price`)} } }`;
    const wrong = 'convert(amount: -1, from: "USD", to: "TRY") { result }';
    const { ask } = await open({ env: { MAX_ANSWER_BYTES: '180000' } });
    const alone = await ask<{ cryptoAssets: unknown }>(`{ ${page} }`);
    expect(JSON.stringify(alone.data).length).toBeGreaterThan(100_000);
    const { data, errors } = await ask(`{ ${page} ${wrong} }`);
    expect(data).toEqual({ ...alone.data, convert: null });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test('time: an operation that takes longer ends before it sends anything', async () => {
    const { ask, get } = await open({ env: { MAX_PROCESSOR_MS_PER_OPERATION: '100' } });
    // On a slow machine even this may take too long while nothing is cached.
    await expect.poll(async () => (await ask('{ fxRates { totalCount } }')).errors).toEqual([]);
    const ids = await manyIds(get);
    const aliases = many(900, (i) => `p${i}: pair`);
    const query = `query ($ids: [ID!]!) {
      legislationChanges { totalCount } nodes(ids: $ids) { ... on FxRate { ${aliases} } } }`;
    const { data, errors, extensions } = await ask(query, { ids });
    expect(data).toBeNull();
    expect(errors).toMatchObject([TOO_LARGE]);
    expect(errors[0]?.message).toContain('MAX_PROCESSOR_MS_PER_OPERATION');
    // It ended before anything was sent.
    expect(extensions.usage.credits.used).toBe(0);
  });
});

test('time: an operation whose document takes longer to check than it may is refused', async () => {
  const { ask } = await open({ env: { MAX_PROCESSOR_MS_PER_OPERATION: '1' } });
  const { data, errors } = await ask(`{ ${many(3000, (i) => `a${i}: __typename`)} }`);
  expect(data).toBeNull();
  expect(errors).toMatchObject([TOO_LARGE]);
});

describe('an operation with much to do', () => {
  /** Counts the rounds of the event loop until it is stopped. */
  function startCounting() {
    const state = { turns: 0, isOver: false };
    const counted = (async () => {
      while (!state.isOver) {
        await setImmediate();
        state.turns += 1;
      }
      return state.turns;
    })();
    return () => {
      state.isOver = true;
      return counted;
    };
  }

  test.each([
    ['leaves', many(600, (i) => `p${i}: pair`)],
    ['objects', many(60, (i) => `h${i}: history { points { value } change }`)],
  ])('lets others run, and its answer is the same: %s', async (_what, fields) => {
    const env = { MAX_PROCESSOR_MS_PER_OPERATION: '60000' };
    const { ask, get } = await open({ env });
    const ids = await manyIds(get);
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on FxRate { ${fields} } } }`;
    const send = (some: readonly string[]) => ask<{ nodes: unknown[] }>(query, { ids: some });
    const one = await send(ids.slice(0, 10));
    expect(one.errors).toEqual([]);
    const end = startCounting();
    const all = await send(ids);
    expect(await end()).toBeGreaterThan(3);
    expect(all.errors).toEqual([]);
    expect(all.data.nodes).toHaveLength(500);
    expect(all.data.nodes.slice(250, 260)).toEqual(one.data.nodes);
  });
});

test('errors are counted, too: wrong ids by the thousand end the operation, by the hundred they do not', async () => {
  const { ask } = await open({ env: { MAX_PROCESSOR_MS_PER_OPERATION: '60000' } });
  const ids = Array.from({ length: 500 }, (_, i) => `wrong ${i}`);
  const query = (aliases: number) =>
    `query ($ids: [ID!]!) { ${many(aliases, (i) => `a${i}: nodes(ids: $ids) { id }`)} }`;
  const atLimit = await ask<{ a1: null[] }>(query(2), { ids });
  expect(atLimit.data.a1).toEqual(ids.map(() => null));
  expect(atLimit.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  const overLimit = await ask(query(24), { ids });
  expect([overLimit.data, overLimit.errors]).toMatchObject([null, [TOO_LARGE]]);
});

test('later errors are counted, too: each price that cannot be fetched is one', async () => {
  const { ask, sandbox } = await open({
    env: { MAX_PROCESSOR_MS_PER_OPERATION: '60000' },
  });
  await ask('{ cryptoAssets(first: 500) { totalCount } }');
  sandbox.fault({ kind: 'status', status: 503 });
  const query = (aliases: number) =>
    `{ cryptoAssets(first: 500) { nodes { ${many(aliases, (i) => `p${i}: priceIn(convert: EUR)`)} } } }`;
  const atLimit = await ask<{ cryptoAssets: { nodes: object[] } }>(query(2));
  expect(atLimit.data.cryptoAssets.nodes[499]).toEqual({ p0: null, p1: null });
  const tooMany = await ask(query(24));
  expect([tooMany.data, tooMany.errors]).toMatchObject([null, [TOO_LARGE]]);
});
