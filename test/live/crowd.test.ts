import { expect, test } from 'vitest';
import { expectEvents, type Live, open, requestsWithin } from './gateway.ts';
import type { Subscriber } from './subscriber.ts';

const TTL_MS = 100;
const ENV = { TTL_CRYPTO: String(TTL_MS / 1000) };

const ASSETS = `subscription Assets($symbols: [String!]!) {
  cryptoAssetsUpdated(symbols: $symbols) { symbol price updatedAt }
}`;

/** 50 subscribers over all three transports; the order of the symbols and their case do not matter. */
async function crowd(live: Live): Promise<Subscriber[]> {
  const variables = [{ symbols: ['BTC', 'ETH'] }, { symbols: ['eth', 'btc', 'ETH'] }];
  const sockets = [live.socket(), live.socket(), live.socket(), live.socket(), live.socket()];
  const all = Array.from({ length: 50 }, async (_, i) => {
    if (i % 2 === 0) return sockets[i % 5]!.subscribe(ASSETS, variables[i % 4 === 0 ? 0 : 1]);
    return live.sse(ASSETS, variables[i % 3 === 0 ? 0 : 1], i % 4 === 1 ? 'GET' : 'POST');
  });
  return Promise.all(all);
}

test('50 subscribers cost one request per time to live, see a change within one, and leave nothing behind', async () => {
  const live = await open({ env: ENV });
  const all = await crowd(live);
  await expectEvents(all, 1);
  await live.expectRequests(1);
  for (let polls = 1; polls <= 5; polls += 1) {
    live.advance(TTL_MS);
    await live.expectRequests(1 + polls);
  }

  live.step();
  await expectEvents(all, 2);
  await live.expectRequests(7);
  const texts = all.map(({ events }) => JSON.stringify(events.at(-1)?.data));
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).not.toBe(JSON.stringify(all[0]?.events[0]?.data));

  for (const { leave } of all) leave();
  await live.expectNoConnections();
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('subscribers to different assets of a market share its requests', async () => {
  const live = await open({ env: ENV });
  const socket = live.socket();
  const all = ['BTC', 'ETH', 'SOL', 'XRP'].map((symbol) =>
    socket.subscribe(ASSETS, { symbols: [symbol] }),
  );
  await expectEvents(all, 1);
  await live.expectRequests(1);
  for (let looks = 1; looks <= 3; looks += 1) {
    live.step();
    await expectEvents(all, 1 + looks);
    await live.expectRequests(1 + looks);
  }
  expect(live.sandbox.peakSameUrl()).toBe(1);
});

test('a later subscriber is sent what is known at once, at no cost', async () => {
  const live = await open();
  const first = await live.sse(ASSETS, { symbols: ['BTC'] });
  await expectEvents([first], 1);
  const second = live.socket().subscribe(ASSETS, { symbols: ['BTC'] });
  await expectEvents([second], 1);
  expect(second.events[0]?.data).toEqual(first.events[0]?.data);
  expect(live.sandbox.requests()).toHaveLength(1);
});

test('queries are answered from what live updates have fetched', async () => {
  const live = await open();
  await expectEvents([await live.sse(ASSETS, { symbols: ['BTC'] })], 1);
  const { extensions } = await live.ask('{ cryptoAsset(symbol: "SOL") { price } }');
  expect(extensions.usage.upstream.requests).toBe(0);
  expect(extensions.usage.credits.usedThisMonth).toBe(1);
});

test('queries in dollars are answered from live updates in another currency, and wait for them', async () => {
  const live = await open({ env: { TTL_CRYPTO: '0.1' } });
  const inLira = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"], convert: TRY) { price } }';
  await expectEvents([await live.sse(inLira)], 1);
  const release = live.sandbox.fault({ kind: 'hold' });
  live.step();
  await expect.poll(() => live.sandbox.requests()).toHaveLength(2);
  const inDollars = live.ask('{ cryptoAsset(symbol: "BTC") { price } }');
  // By the time that this is answered, the other one has sent what it needs.
  await live.ask('{ usage { credits { used } } }');
  release();
  expect((await inDollars).extensions.usage.credits.used).toBe(0);
  expect(live.sandbox.requests().filter(({ path }) => path.includes('convert=USD'))).toEqual([]);
});
