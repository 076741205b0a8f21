import { expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import { access, temporaryFolder } from '../harness.ts';
import { newest } from '../shared/stored.ts';
import { expectEvents, type Live, open, requestsWithin } from './gateway.ts';

/** A subscription polls at the right time, even if the next event is known only from another process, or late. */

const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const BEFORE_MS = 200;
const TO_RELEASE_MS = BEFORE_MS + 20;
const HOUR_MS = 3_600_000;
const PATH = '/calendar/events';
/** The only event released at that time. */
const IFO = 'de-ifo-2026-11-24';

const RELEASED = `subscription Released($countries: [CountryCode!]) {
  calendarEventReleased(filter: { countries: $countries }) { recordId }
}`;
const QUESTION = '{ calendarEvents { totalCount } }';

const calendarRequests = ({ sandbox }: Live) =>
  sandbox.requests().filter(({ path }) => path.startsWith(PATH)).length;

/** Makes the upstream add an event of France; returns a function that releases it. */
function addEvent({ sandbox }: Live, releasesAt: number): () => void {
  let actual: number | null = null;
  const event = { country: 'FR', event: 'Added', importance: 'high', id: 'fr-added' };
  const datetime = new Date(releasesAt).toISOString();
  sandbox.fault({
    kind: 'rewrite',
    path: PATH,
    rewrite(body) {
      const { data, ...rest } = Object(body);
      return { ...rest, data: [...data, { ...event, datetime, actual }] };
    },
  });
  return () => (actual = 1.5);
}

test('an event that another process has learned of is polled for when it is due', async () => {
  const DATA_DIR = temporaryFolder();
  const at = RELEASE - HOUR_MS;
  const first = await open({ at, env: { DATA_DIR } });
  const second = await open({ at, env: { DATA_DIR, ...access(first.sandbox) } });
  const advance = (ms: number) => [first, second].forEach((live) => live.advance(ms));
  await first.sse(RELEASED, { countries: ['DE'] });
  await first.expectRequests(1);
  await expect.poll(() => newest(DATA_DIR)).toBeGreaterThan(0);
  const before = newest(DATA_DIR);
  const release = addEvent(first, RELEASE - HOUR_MS / 2);
  advance(HOUR_MS / 4);
  await expectEvents([await second.sse(QUESTION)], 1);
  await expect.poll(() => newest(DATA_DIR)).toBeGreaterThan(before);
  advance(HOUR_MS / 4 - BEFORE_MS);
  const socket = first.socket();
  const subscriber = socket.subscribe(RELEASED, { countries: ['FR'] });
  await socket.sync();
  release();
  advance(TO_RELEASE_MS);
  await expectEvents([subscriber], 1);
  expect(calendarRequests(first)).toBe(3);
  for (const { close } of [second, first]) await close();
});

/** What the upstream may send by mistake: that it has no events at all. */
const NO_EVENTS: Record<string, Fault> = {
  'a 404': { kind: 'status', status: 404, body: { success: false, error: { code: 'no_data' } } },
  'an empty list': { kind: 'rewrite', rewrite: (body) => ({ ...Object(body), data: [] }) },
};

test.for(Object.entries(NO_EVENTS))(
  'after %s as the first answer, events are requested once that has expired, and only later releases are told',
  async ([, fault]) => {
    const live = await open({ at: RELEASE - HOUR_MS, env: { TTL_CALENDAR: '0.1' } });
    live.sandbox.fault({ ...fault, path: PATH, times: 1 });
    const subscribers = [await live.sse(RELEASED, { countries: ['DE'] }), await live.sse(RELEASED)];
    await live.expectRequests(1);
    live.advance(HOUR_MS - BEFORE_MS);
    await live.expectRequests(2);
    live.advance(TO_RELEASE_MS);
    await expectEvents(subscribers, 1);
    for (const { events } of subscribers)
      expect(events[0]?.data).toEqual({ calendarEventReleased: { recordId: IFO } });
    expect(calendarRequests(live)).toBe(3);
  },
);

test('after an empty list as a later answer, releases are told once that has expired', async () => {
  const live = await open({ at: RELEASE - BEFORE_MS, env: { TTL_CALENDAR: '0.1' } });
  const subscriber = await live.sse(RELEASED, { countries: ['DE'] });
  await live.expectRequests(1);
  live.sandbox.fault({ ...NO_EVENTS['an empty list']!, path: PATH, times: 1 });
  live.advance(TO_RELEASE_MS);
  await live.expectRequests(2);
  expect(subscriber.events).toEqual([]);
  live.advance(100);
  await expectEvents([subscriber], 1);
  expect(subscriber.events[0]?.data).toEqual({ calendarEventReleased: { recordId: IFO } });
  expect(calendarRequests(live)).toBe(3);
});

test('while the calendar is empty, pauses between requests grow; once it was not, they begin anew', async () => {
  const ttlMs = 100;
  const empty = (live: Live) => live.sandbox.fault({ ...NO_EVENTS['an empty list']!, path: PATH });
  const live = await open({ at: RELEASE - 3000, env: { TTL_CALENDAR: '0.1' } });
  const publish = empty(live);
  const subscriber = await live.sse(RELEASED, { countries: ['DE'] });
  await live.expectRequests(1);
  live.advance(1000);
  await live.expectRequests(2);
  // It has been empty for a second: the next request follows after another one.
  expect(await requestsWithin(live, ttlMs)).toBe(0);
  publish();
  live.advance(1000 - 3 * ttlMs);
  await live.expectRequests(3);
  const publishAgain = empty(live);
  live.advance(1020);
  await live.expectRequests(4);
  publishAgain();
  live.advance(ttlMs);
  await expectEvents([subscriber], 1);
  expect(calendarRequests(live)).toBe(5);
});

test('a poll comes at midnight although pauses have grown beyond it', async () => {
  const at = Date.parse('2026-11-25T00:00:00+03:00') - 3000;
  const live = await open({ at, env: { TTL_CALENDAR: '0.1' } });
  live.sandbox.fault({ ...NO_EVENTS['an empty list']!, path: PATH });
  await live.sse(RELEASED);
  await live.expectRequests(1);
  live.advance(2000);
  await live.expectRequests(2);
  live.advance(1020);
  await expect.poll(() => calendarRequests(live)).toBe(3);
});

test('a poll at midnight that fails is repeated', async () => {
  const at = Date.parse('2026-11-25T00:00:00+03:00') - BEFORE_MS;
  const live = await open({ at, env: { TTL_CALENDAR: '0.1' } });
  await live.sse(RELEASED, { countries: ['FR'] });
  await live.expectRequests(1);
  const recover = live.sandbox.fault({ kind: 'status', status: 503, path: PATH });
  live.advance(TO_RELEASE_MS);
  // The upstream is tried twice before the poll counts as failed.
  await expect.poll(() => calendarRequests(live)).toBeGreaterThan(2);
  recover();
  const failed = calendarRequests(live);
  const requestsLater = () => {
    live.advance(100);
    return calendarRequests(live);
  };
  await expect.poll(requestsLater).toBeGreaterThan(failed);
});
