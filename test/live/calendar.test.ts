import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectEvents, requestsWithin, open } from './gateway.ts';

/** The only release of this moment is Germany's ifo index. */
const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const BEFORE_MS = 400;

const RELEASED = `subscription Released($filter: CalendarEventFilter) {
  calendarEventReleased(filter: $filter) {
    recordId country actual impact released fxRates(quote: "TRY") { pair mid }
  }
}`;

const IFO = { country: 'DE', released: true, recordId: 'de-ifo-2026-11-24' };

async function openBeforeRelease() {
  const live = await open({ at: RELEASE - BEFORE_MS, runs: true });
  const started = performance.now();
  return { ...live, sinceRelease: () => performance.now() - started - BEFORE_MS };
}

/** The upstream publishes everything without its outcome, as before a release. */
function withoutOutcomes(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const blank = (event: object) => ({ ...event, actual: null, surprise: null, impact: null });
  return { ...rest, data: data.map(blank) };
}

test('a released event reaches its subscribers within a second, for one request', async () => {
  const live = await openBeforeRelease();
  const germany = await live.sse(RELEASED, { filter: { countries: ['DE'] } });
  const everywhere = live.socket().subscribe(RELEASED);
  const turkey = live.socket().subscribe(RELEASED, { filter: { countries: ['TR'] } });
  await sleep(BEFORE_MS / 2);
  expect(live.sandbox.requests()).toHaveLength(1);
  await expectEvents([germany, everywhere], 1);
  expect(live.sinceRelease()).toBeLessThan(1000);
  const event = { ...IFO, actual: expect.any(Number), impact: expect.any(String) };
  for (const { events } of [germany, everywhere])
    expect(events[0]?.data).toMatchObject({ calendarEventReleased: event });
  expect(turkey.events).toEqual([]);
  expect(live.sandbox.spent().credits).toBe(2);
});

test('an event tells what it has cost itself, beside the background', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await expectEvents([subscriber], 1);
  const { usage } = subscriber.events[0]!.extensions;
  expect([usage.fx.used, usage.credits.used, usage.credits.usedThisMonth]).toEqual([1, 0, 2]);
});

test('a value that is published late reaches subscribers soon after, for at most 4 requests', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await expect.poll(() => live.sandbox.requests().length).toBe(1);
  const publish = live.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar/events',
    rewrite: withoutOutcomes,
  });
  await sleep(BEFORE_MS + 1400);
  expect(subscriber.events).toEqual([]);
  publish();
  await expectEvents([subscriber], 1);
  expect(live.sinceRelease()).toBeLessThan(3000);
  expect(subscriber.events[0]?.data).toMatchObject({ calendarEventReleased: IFO });
  const asked = live.sandbox.requests().filter(({ path }) => path.startsWith('/calendar'));
  expect(asked.length - 1).toBeLessThanOrEqual(4);
});

test('who leaves before the release costs nothing at the release', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await expect.poll(() => live.sandbox.requests().length).toBe(1);
  subscriber.leave();
  expect(await requestsWithin(live, 2 * BEFORE_MS)).toBe(0);
});

test('what was released before is no news', async () => {
  const live = await open();
  const subscriber = await live.sse(RELEASED);
  expect(await requestsWithin(live, 300)).toBe(0);
  expect(subscriber.events).toEqual([]);
  expect(live.sandbox.requests()).toHaveLength(1);
});
