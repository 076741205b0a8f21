import { expect, test } from 'vitest';
import { expectEvents, open } from './gateway.ts';

/** Prices that have come for somebody else are news for subscribers. */

const BTC = 'subscription { cryptoAssetsUpdated(symbols: ["BTC"]) { price updatedAt } }';

test('what a question brings reaches subscribers, and those who come later, for nothing', async () => {
  // On a line that is taken for slow just what is wanted is asked for, so that another question asks for more.
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
