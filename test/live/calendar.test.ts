import { expect, test } from 'vitest';
import { expectEvents, type Live, open, requestsWithin } from './gateway.ts';

/** The only release at this moment is Germany's ifo index. */
const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const BEFORE_MS = 200;
/** A little longer than needed: the gateway polls 10 ms after a release, and a second later for a late value. */
const TO_RELEASE_MS = BEFORE_MS + 20;
const TO_NEXT_POLL_MS = 1020;

const RELEASED = `subscription Released($filter: CalendarEventFilter) {
  calendarEventReleased(filter: $filter) {
    recordId country actual impact released fxRates(quote: "TRY") { pair mid }
  }
}`;

const IFO = { country: 'DE', released: true, recordId: 'de-ifo-2026-11-24' };

const openBeforeRelease = () => open({ at: RELEASE - BEFORE_MS });

const calendarRequests = ({ sandbox }: Live) =>
  sandbox.requests().filter(({ path }) => path.startsWith('/calendar')).length;

/** Makes the upstream publish all events without outcomes, as before a release. */
function withoutOutcomes(body: unknown): unknown {
  const { data, ...rest } = Object(body);
  const blank = (event: object) => ({ ...event, actual: null, surprise: null, impact: null });
  return { ...rest, data: data.map(blank) };
}

test('a released event reaches its subscribers at the release, for one request', async () => {
  const live = await openBeforeRelease();
  const germany = await live.sse(RELEASED, { filter: { countries: ['DE'] } });
  const socket = live.socket();
  const allCountries = socket.subscribe(RELEASED);
  const turkey = socket.subscribe(RELEASED, { filter: { countries: ['TR'] } });
  await socket.sync();
  await live.expectRequests(1);
  live.advance(TO_RELEASE_MS);
  await expectEvents([germany, allCountries], 1);
  const event = { ...IFO, actual: expect.any(Number), impact: expect.any(String) };
  for (const { events } of [germany, allCountries])
    expect(events[0]?.data).toMatchObject({ calendarEventReleased: event });
  expect(turkey.events).toEqual([]);
  expect(live.sandbox.spent().credits).toBe(2);
});

test('a release that matches no filter costs nothing', async () => {
  const live = await openBeforeRelease();
  const socket = live.socket();
  for (const filter of [{ countries: ['TR'] }, { start: '2026-11-25' }])
    socket.subscribe(RELEASED, { filter });
  const unreleased = socket.subscribe(RELEASED, {
    filter: { countries: ['TR'], importance: ['HIGH'], released: true },
  });
  await socket.sync();
  await live.expectRequests(1);
  expect(await requestsWithin(live, TO_RELEASE_MS)).toBe(0);
  expect(unreleased.events).toEqual([]);
});

test('another filter costs nothing if nothing that it matches was due since the last poll', async () => {
  const live = await open({ at: RELEASE - 600_000 });
  const all = [await live.sse(RELEASED)];
  await live.expectRequests(1);
  live.advance(600_000 - BEFORE_MS);
  await live.sse(RELEASED, { filter: { countries: ['TR'] } });
  for (const countries of [
    ['US', 'DE'],
    ['DE', 'US', 'DE'],
  ])
    all.push(await live.sse(RELEASED, { filter: { countries } }));
  all.push(await live.sse(RELEASED, { filter: { currencies: ['EUR'] } }));
  expect(calendarRequests(live)).toBe(1);
  live.advance(TO_RELEASE_MS);
  await expectEvents(all, 1);
  expect(calendarRequests(live)).toBe(2);
});

test('an event states what it has cost itself, apart from the background', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await live.expectRequests(1);
  live.advance(TO_RELEASE_MS);
  await expectEvents([subscriber], 1);
  const { usage } = subscriber.events[0]!.extensions;
  expect([usage.fx.used, usage.credits.used, usage.credits.usedThisMonth]).toEqual([1, 0, 2]);
});

test('a value that is published late reaches subscribers soon after, with one request a second', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await live.expectRequests(1);
  const publish = live.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar/events',
    rewrite: withoutOutcomes,
  });
  live.advance(TO_RELEASE_MS);
  await live.expectRequests(2);
  live.advance(TO_NEXT_POLL_MS);
  await live.expectRequests(3);
  expect(subscriber.events).toEqual([]);
  publish();
  live.advance(TO_NEXT_POLL_MS);
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({ calendarEventReleased: IFO });
  expect(calendarRequests(live)).toBe(4);
});

test('a late value is polled for when an answer fetched for a client expires, whenever the subscription began', async () => {
  const live = await open({ at: RELEASE + 60_000 });
  const publish = live.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar/events',
    rewrite: withoutOutcomes,
  });
  const client = await live.sse(
    '{ calendarEvents(filter: { start: "2026-11-23" }) { totalCount } }',
  );
  await expectEvents([client], 1);
  // A value that is a minute late is requested again after half a minute.
  live.advance(29_900);
  const socket = live.socket();
  const subscriber = socket.subscribe(RELEASED, { filter: { countries: ['DE'] } });
  await socket.sync();
  publish();
  live.advance(120);
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toMatchObject({ calendarEventReleased: IFO });
  expect(calendarRequests(live)).toBe(2);
});

test('what a query finds is sent to subscribers, too, at no cost', async () => {
  const live = await open({ at: RELEASE - 3_600_000 });
  const added = { id: 'de-added', datetime: '2026-11-24T10:59:00+03:00', country: 'DE' };
  const outcome = { event: 'Added', importance: 'high', actual: 1.5, impact: 'positive' };
  const subscriber = await live.sse(RELEASED);
  await live.expectRequests(1);
  live.sandbox.fault({
    kind: 'rewrite',
    path: '/calendar/events',
    rewrite: (body) => {
      const { data, ...rest } = Object(body);
      return { ...rest, data: [...data, { ...added, ...outcome }] };
    },
  });
  live.advance(1_800_000);
  await expectEvents([await live.sse('{ calendarEvents { totalCount } }')], 1);
  await expectEvents([subscriber], 1);
  const event = { recordId: 'de-added', actual: 1.5 };
  expect(subscriber.events[0]?.data).toMatchObject({ calendarEventReleased: event });
  expect(calendarRequests(live)).toBe(2);
});

test('a subscriber that leaves before the release costs nothing at the release', async () => {
  const live = await openBeforeRelease();
  const subscriber = await live.sse(RELEASED);
  await live.expectRequests(1);
  subscriber.leave();
  await live.expectNoConnections();
  expect(await requestsWithin(live, TO_RELEASE_MS)).toBe(0);
});

test('earlier releases are not sent', async () => {
  const live = await open();
  const subscriber = await live.sse(RELEASED);
  await live.expectRequests(1);
  expect(await requestsWithin(live, 100)).toBe(0);
  expect(subscriber.events).toEqual([]);
});
