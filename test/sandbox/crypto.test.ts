import { describe, expect, test } from 'vitest';
import { createClock, open } from './harness.ts';
import * as spec from './spec.ts';

const parse = (answer: { body: unknown }) => spec.crypto.parse(answer.body);

describe('crypto prices', () => {
  test('are by default the first 100 assets in USD by rank', async () => {
    const { b } = await open();
    const { data, convert, timestamp } = parse(await b('/crypto/prices'));
    expect(data.map(({ rank }) => rank)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect([data[0]?.symbol, data[1]?.symbol]).toEqual(['BTC', 'ETH']);
    expect([convert, timestamp]).toEqual(['USD', '2026-11-20T12:00:00+03:00']);
    const caps = data.map(({ marketCap }) => marketCap);
    expect(caps).toEqual(caps.toSorted((one, other) => other - one));
    expect(data.every(({ price, priceUsd }) => price === priceUsd)).toBe(true);
  });

  test('are at most 500 in one answer, each asset once, some without some fields', async () => {
    const { b } = await open();
    const { data } = parse(await b('/crypto/prices?limit=500'));
    expect(data).toHaveLength(500);
    expect(new Set(data.map(({ symbol }) => symbol)).size).toBe(500);
    const optional = ['change1h', 'change7d', 'circulatingSupply', 'maxSupply', 'dominance'];
    for (const field of optional) {
      const countWith = data.filter((record) => field in record).length;
      expect(countWith).toBeGreaterThan(100);
      expect(countWith).toBeLessThan(500);
    }
  });

  test('of an asset beyond rank 500 are available by its symbol', async () => {
    const { b } = await open();
    const top = parse(await b('/crypto/prices?limit=500')).data.map(({ symbol }) => symbol);
    const tail = ['NOVP', 'LUMN', 'ORBC', 'RVNR', 'WLWM', 'SBLH'].filter((s) => !top.includes(s));
    expect(tail.length).toBeGreaterThan(0);
    const { data } = parse(await b(`/crypto/prices?symbols=${tail.join(',')}`));
    expect(data.map(({ symbol }) => symbol).toSorted()).toEqual(tail.toSorted());
    expect(data.every(({ rank }) => rank > 500 && rank <= 600)).toBe(true);
  });

  test('of named symbols come by rank, ignoring case, without unknown ones', async () => {
    const { b } = await open();
    const { data } = parse(await b('/crypto/prices?symbols=sol,NOPE,BTC,btc'));
    expect(data.map(({ symbol }) => symbol)).toEqual(['BTC', 'SOL']);
    const one = parse(await b('/crypto/prices?symbols=SOL,BTC&limit=1')).data;
    expect(one.map(({ symbol }) => symbol)).toEqual(['BTC']);
  });

  test('are converted at the FX rate, and an exchange is slightly off the market', async () => {
    const { b, sandbox } = await open();
    const rates = spec.fxRates.parse(sandbox.answer('A', '/v1/fx/rates').body).data;
    const usdtry = rates.find(({ pair }) => pair === 'USDTRY')?.buying ?? 0;
    const lira = parse(await b('/crypto/prices?symbols=BTC&convert=TRY'));
    const btc = lira.data[0];
    expect(lira.convert).toBe('TRY');
    expect((btc?.price ?? 0) / (btc?.priceUsd ?? 1) / usdtry).toBeCloseTo(1, 2);
    const there = parse(await b('/crypto/prices?symbols=BTC&exchange=Binance')).data[0];
    const ratio = (there?.priceUsd ?? 0) / (btc?.priceUsd ?? 1);
    expect(ratio).not.toBe(1);
    expect(ratio).toBeCloseTo(1, 2);
  });

  test('move with the clock by steps of a few seconds', async () => {
    const clock = createClock();
    const { b } = await open({ now: clock.now });
    const first = parse(await b('/crypto/prices')).data;
    clock.set('2026-11-20T12:00:04+03:00');
    expect(parse(await b('/crypto/prices')).data).toEqual(first);
    clock.set('2026-11-20T12:00:05+03:00');
    expect(parse(await b('/crypto/prices')).data).not.toEqual(first);
  });

  test('accept an interval without effect, since the candle answer is not shown', async () => {
    const { b } = await open();
    const plain = parse(await b('/crypto/prices?limit=2')).data;
    expect(parse(await b('/crypto/prices?limit=2&interval=1h')).data).toEqual(plain);
  });

  test.each([
    ['?limit=501', 422, 'invalid_parameter'],
    ['?limit=0', 422, 'invalid_parameter'],
    ['?limit=ten', 422, 'invalid_parameter'],
    ['?convert=GBP', 422, 'invalid_parameter'],
    ['?interval=2h', 422, 'invalid_parameter'],
    ['?exchange=nowhere', 422, 'invalid_parameter'],
    ['?symbols=BTC;ETH', 422, 'invalid_parameter'],
    ['?symbols=NOPE', 404, 'no_data'],
  ])('%s is refused with %i %s and costs nothing', async (query, status, code) => {
    const { b, sandbox } = await open();
    const answer = await b(`/crypto/prices${query}`);
    expect([answer.status, spec.errorB.parse(answer.body).code]).toEqual([status, code]);
    expect(sandbox.spent().credits).toBe(0);
  });
});
