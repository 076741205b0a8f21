import { expect, test } from 'vitest';
import { expectEvents, open } from './gateway.ts';

/** How many requests and names one subscription may have, and how many subscriptions there may be. */

const ASSETS =
  'subscription ($symbols: [String!]!) { cryptoAssetsUpdated(symbols: $symbols) { id } }';
const PAIRS = 'subscription ($pairs: [CurrencyPair!]!) { fxRatesUpdated(pairs: $pairs) { id } }';

test.each(['over a WebSocket', 'as server-sent events'])(
  'a subscription %s sends no more upstream requests than one operation may, and then ends',
  async (way) => {
    const live = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' } });
    // The asset is looked for among the first 500, and then by its ticker.
    const variables = { symbols: ['UNKNOWN'] };
    const subscriber =
      way === 'over a WebSocket'
        ? live.socket().subscribe(ASSETS, variables)
        : await live.sse(ASSETS, variables);
    await subscriber.ended;
    expect(subscriber.events.map(({ errors }) => errors[0]?.extensions.code)).toEqual([
      'UPSTREAM_BUDGET_EXCEEDED',
    ]);
    await live.expectRequests(1);
  },
);

test('a name that the upstream refuses as wrong ends the subscription with the reason', async () => {
  const live = await open();
  const { events, ended } = live.socket().subscribe(ASSETS, { symbols: ['ODD/1'] });
  await ended;
  expect(events[0]?.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('symbols and pairs of a subscription are at most 500', async () => {
  const live = await open();
  const many = [
    [ASSETS, { symbols: Array.from({ length: 501 }, (_, i) => `A${i}`) }, 'symbols'],
    [PAIRS, { pairs: Array.from({ length: 501 }, () => 'USDTRY') }, 'pairs'],
  ] as const;
  for (const [query, variables, name] of many) {
    const { events, ended } = live.socket().subscribe(query, variables);
    const errors = (await ended) ?? events[0]?.errors;
    expect(errors).toMatchObject([{ message: `${name}: must have at most 500 items` }]);
  }
  expect(live.sandbox.requests()).toEqual([]);
});

test('beyond MAX_SUBSCRIPTIONS a subscription is refused, until another one ends', async () => {
  const live = await open({ env: { MAX_SUBSCRIPTIONS: '2' } });
  const socket = live.socket();
  const variables = { symbols: ['BTC'] };
  const subscriptions = [await live.sse(ASSETS, variables), socket.subscribe(ASSETS, variables)];
  await expectEvents(subscriptions, 1);
  const third = socket.subscribe(ASSETS, variables);
  const errors = (await third.ended) ?? third.events[0]?.errors;
  expect(errors).toMatchObject([{ extensions: { code: 'TOO_MANY_SUBSCRIPTIONS' } }]);
  subscriptions[1]!.leave();
  await socket.sync();
  const fourth = socket.subscribe(ASSETS, variables);
  await expectEvents([fourth], 1);
});
