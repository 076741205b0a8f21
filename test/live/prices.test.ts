import { expect, test } from 'vitest';
import { assetsBelow500 } from '../upstream.ts';
import { expectEvents, open, requestsWithin } from './gateway.ts';
import type { Subscriber } from './subscriber.ts';

/** Prices that were fetched for another client are news for subscribers. */

const BTC = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price updatedAt } }';
const PRICES =
  'subscription ($symbols: [String!]!) { cryptoAssetsUpdated(symbols: $symbols) { price } }';

test('what a query fetches reaches subscribers, later ones too, at no cost', async () => {
  // On a line assumed to be slow only what is asked for is requested, so that the query requests more.
  const live = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  const first = await live.sse(BTC);
  await expectEvents([first], 1);
  live.step();
  const query = await live.sse('{ cryptoAssets(first: 300) { nodes { price updatedAt } } }');
  await expectEvents([query], 1);
  const newest = Object(query.events[0]?.data).cryptoAssets.nodes[0];
  expect(first.events[0]?.data).not.toEqual({ cryptoAssetsUpdated: [newest] });
  const second = await live.sse(BTC);
  await expectEvents([second], 1);
  await expectEvents([first], 2);
  for (const { events } of [first, second])
    expect(events.at(-1)?.data).toEqual({ cryptoAssetsUpdated: [newest] });
  expect(second.events).toHaveLength(1);
  expect(live.sandbox.requests()).toHaveLength(2);
});

test('subscriptions to more assets than are cached do not make each other send requests', async () => {
  const live = await open();
  const all: Subscriber[] = [];
  for (const [i, paid] of assetsBelow500(live.sandbox, 4).entries()) {
    const symbols = [paid, ...Array.from({ length: 399 }, (_, n) => `X${i}Y${n}`)];
    all.push(await live.sse(PRICES, { symbols }));
    await expectEvents(all, 1);
  }
  expect(await requestsWithin(live, 100)).toBe(0);
  // The list of the first 500, and a request by ticker for each subscription.
  expect(live.sandbox.spent().credits).toBe(5);
});

test('a subscription to more assets than the upstream allows in one request gets them all', async () => {
  const live = await open();
  const tickersIn = (path: string) => path.split('symbols=')[1]?.split('%2C') ?? [];
  live.sandbox.fault({
    kind: 'status',
    status: 422,
    path: (path) => tickersIn(path).length > 50,
  });
  const subscriber = await live.sse(PRICES, { symbols: assetsBelow500(live.sandbox, 60) });
  await expectEvents([subscriber], 1);
  expect(Object(subscriber.events[0]?.data).cryptoAssetsUpdated).toHaveLength(60);
});

test('an update without a change is news only if its time, or another currency, is selected', async () => {
  const live = await open({ env: { TTL_CRYPTO: '0.1' } });
  let times = 0;
  live.sandbox.fault({
    kind: 'rewrite',
    path: '/crypto/prices',
    rewrite: (body) => {
      times += 1;
      const updatedAt = `2026-11-20T09:00:0${times}Z`;
      const unchanged = { price: 1, priceUsd: 1, percentChange24h: 0, volume24h: 1, marketCap: 1 };
      const { data, ...rest } = Object(body);
      return {
        ...rest,
        data: data.map((asset: object) => ({ ...asset, ...unchanged, updatedAt })),
      };
    },
  });
  const inLira = BTC.replace('updatedAt', 'priceIn(convert: TRY)');
  const updated = [await live.sse(BTC), await live.sse(inLira)];
  const uninformed = await live.sse(PRICES, { symbols: ['BTC'] });
  for (const count of [1, 2, 3]) {
    await expectEvents(updated, count);
    live.advance(100);
  }
  expect(uninformed.events).toHaveLength(1);
});
