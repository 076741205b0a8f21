import { expect, test } from 'vitest';
import { assetsBelow500 } from '../upstream.ts';
import { expectEvents, open, requestsWithin } from './gateway.ts';
import type { Subscriber } from './subscriber.ts';

/** What subscriptions to prices cost, and what is news to them. */

const TTL_MS = 100;
const OFTEN = { TTL_CRYPTO: String(TTL_MS / 1000) };

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

test('an update without a change is news only if its time, or another currency, is selected', async () => {
  const live = await open({ env: OFTEN });
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

const assets = (convert: string, fields: string) =>
  `subscription { cryptoAssetsUpdated(symbols: ["BTC", "ETH"], convert: ${convert}) { ${fields} } }`;

test('a subscription to prices in two currencies costs one request for each event', async () => {
  const live = await open({ env: OFTEN });
  const all = [await live.sse(assets('USD', 'price priceIn(convert: TRY)'))];
  for (let events = 1; events <= 4; events += 1) {
    await expectEvents(all, events);
    expect(live.sandbox.spent().credits).toBe(events);
    live.step();
  }
});

test('subscriptions in two currencies cost one request per time to live', async () => {
  const live = await open({ env: OFTEN });
  const all = [await live.sse(assets('USD', 'price')), await live.sse(assets('TRY', 'price'))];
  await expectEvents(all, 1);
  await requestsWithin(live, TTL_MS);
  expect(await requestsWithin(live, TTL_MS)).toBe(3);
  live.step();
  await expectEvents(all, 2);
  for (const { events } of all) expect(events[1]?.errors).toEqual([]);
});
