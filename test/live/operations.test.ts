import { expect, test } from 'vitest';
import { METERS } from '../../src/meters.ts';
import { promisedCost, SUBSCRIPTIONS } from '../ready-made.ts';
import { open } from './gateway.ts';

/** The ready-made subscriptions. */

test.for(SUBSCRIPTIONS)(
  '%s starts with its defaults, and a poll costs no more than it says',
  async ([, text]) => {
    const live = await open();
    const subscriber = await live.sse(text);
    await live.expectRequests(1);
    const promised = promisedCost(text);
    for (const meter of METERS)
      expect(live.sandbox.spent()[meter]).toBeLessThanOrEqual(promised[meter]);
    for (const { errors } of subscriber.events) expect(errors).toEqual([]);
  },
);

test('live rates and prices begin with the current values', async () => {
  const live = await open();
  for (const name of ['live-rates.graphql', 'live-crypto.graphql']) {
    const [, text = ''] = SUBSCRIPTIONS.find(([file]) => file === name) ?? [];
    const { events } = await live.sse(text);
    await expect.poll(() => events.length).toBe(1);
    expect(Object.values(Object(events[0]?.data))).toMatchObject([[{}, {}]]);
  }
});
