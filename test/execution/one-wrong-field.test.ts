import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { assetsBelow500 } from '../upstream.ts';

/** Operations in which one field is wrong, and what the others cost. */

describe.each([0, 1, 2])('a wrong ticker in place %i', (place) => {
  test('does not split what the others ask for', async () => {
    const { ask, sandbox } = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000000' } });
    const [ticker] = assetsBelow500(sandbox, 1);
    const fields = ['BTC', ticker].map(
      (symbol, i) => `a${i}: cryptoAsset(symbol: "${symbol}") { symbol }`,
    );
    const { data } = await ask(
      `{ ${fields.toSpliced(place, 0, 'bad: cryptoAsset(symbol: "") { symbol }').join(' ')} }`,
    );
    expect(data).toEqual({ a0: { symbol: 'BTC' }, a1: { symbol: ticker }, bad: null });
    expect(sandbox.requests()).toHaveLength(1);
  });
});

test('a question about legislation beside it counts as a cache hit only if it was cached', async () => {
  const { ask } = await open();
  const query =
    '{ legislationChanges(filter: { start: "2026-11-01" }) { totalCount } fxRate(pair: "x") { mid } }';
  const hits = async () => (await ask(query)).extensions.usage.upstream.cacheHits;
  expect([await hits(), await hits()]).toEqual([0, 1]);
});

test('what is skipped is left out, however wrong another condition is', async () => {
  const { ask } = await open();
  const query = `query ($b: Boolean = true) {
    cryptoAsset(symbol: "BTC") { symbol rank @skip(if: true) @include(if: $b) }
  }`;
  const { data, errors } = await ask(query, { b: null });
  expect([data, errors]).toEqual([{ cryptoAsset: { symbol: 'BTC' } }, []]);
});

test.each([
  '{ fxRate(pair: "USDTRY") { history { points(maxPoints: 0) { date } } history { change } } }',
  '{ macroSeries(code: "TP.DK.USD.A") { observations { points(maxPoints: 0) { date } } observations { change } } }',
])('a series that is refused for one of its selections is not asked for: %s', async (query) => {
  const { ask, sandbox } = await open();
  const { errors } = await ask(query);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(sandbox.requests()).toEqual([]);
});

test('candles of no period are refused, and nothing is sent', async () => {
  const { ask, sandbox } = await open();
  const { data, errors } = await ask(
    `query ($every: Period = WEEK) { fxRate(pair: "USDTRY") { history { candles(every: $every) { close } } } }`,
    { every: null },
  );
  expect([data, errors]).toMatchObject([
    { fxRate: { history: null } },
    [{ message: expect.stringContaining('every'), extensions: { code: 'BAD_USER_INPUT' } }],
  ]);
  expect(sandbox.requests()).toEqual([]);
});
