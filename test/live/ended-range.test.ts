import { expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS } from '../../src/time.ts';
import { open as openBench } from '../harness.ts';
import { open, requestsWithin } from './gateway.ts';
import { openSse } from './sse.ts';

/** Subscriptions to new records of a range that passes while they are open. */

const TTL_MS = 100;
const USAGE = '{ usage { credits { background } } }';

interface Usage {
  usage: { credits: { background: number } };
}

const filter = { start: '2026-11-20', end: '2026-11-20' };

test('a subscription to changes ends the day after the last one could be published', async () => {
  const live = await open({ env: { TTL_LEGISLATION: '0.1' } });
  const query = `subscription ($filter: LegislationChangeFilter) {
    legislationChangePublished(filter: $filter) { id }
  }`;
  const [passing, lasting] = [await live.sse(query, { filter }), await live.sse(query)];
  await live.expectRequests(1);
  live.advance(DAY_MS);
  await live.expectRequests(2);
  live.advance(DAY_MS);
  await live.expectRequests(3);
  await passing.ended;
  live.advance(TTL_MS);
  await live.expectRequests(4);
  lasting.leave();
  await live.expectNoConnections();
  expect(await requestsWithin(live, TTL_MS)).toBe(0);
});

test('a subscription to releases ends in the same way', async () => {
  let monotonic = 0;
  const { url, get, clock } = await openBench({
    monotonic: () => monotonic,
    unreadUnits: { credits: 3 },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const query = `subscription ($filter: CalendarEventFilter) {
    calendarEventReleased(filter: $filter) { id }
  }`;
  const { ended, leave } = await openSse(url, { query, variables: { filter } });
  onTestFinished(leave);
  const polls = async () => (await get<Usage>(USAGE)).usage.credits.background;
  for (const count of [1, 2, 3]) {
    await expect.poll(polls).toBe(count);
    monotonic += DAY_MS;
    clock.advance(DAY_MS);
    vi.advanceTimersByTime(DAY_MS);
  }
  await ended;
  expect(await polls()).toBe(3);
});
