import { expect, onTestFinished, test, vi } from 'vitest';
import { open } from '../harness.ts';
import { openSse } from '../live/sse.ts';

/** While credits are saved releases are told later; once units have been bought, no longer. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const RELEASED = `subscription { calendarEventReleased(filter: { countries: ["DE"] }) { recordId } }`;
const STATE = '{ usage { credits { background forecast { stretch } } } }';

interface Found {
  usage: { credits: { background: number; forecast: { stretch: number } } };
}

test('a release that the last plan put off for hours is told soon after units were bought', async () => {
  let monotonic = 0;
  const unreadUnits = { credits: 0 };
  const bench = await open({
    // Clocks may move on by minutes while a request is in flight.
    env: { UPSTREAM_TIMEOUT_MS: '3600000' },
    credits: 280,
    monotonic: () => monotonic,
    unreadUnits,
  });
  const { url, ask, get, clock, sandbox } = bench;
  const advance = (ms: number) => {
    monotonic += ms;
    clock.advance(ms);
  };
  const stretch = async () => (await get<Found>(STATE)).usage.credits.forecast.stretch;
  for (let i = 0; clock.now() < RELEASE - HOUR_MS; i += 1) {
    await ask(
      `{ cryptoAssets(first: 1, convert: ${['USD', 'TRY', 'EUR'][i % 3]}) { totalCount } }`,
    );
    advance(HOUR_MS / 2);
  }
  advance(RELEASE - 10 * MINUTE_MS - clock.now());
  expect(await stretch()).toBeGreaterThan(30);

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const subscriber = await openSse(url, { query: RELEASED });
  onTestFinished(subscriber.leave);
  const polls = async () => (await get<Found>(STATE)).usage.credits.background;
  await expect.poll(polls).toBe(1);
  const paidBefore = sandbox.spent().credits - 1;
  const pass = (ms: number) => {
    advance(ms);
    vi.advanceTimersByTime(ms);
  };
  pass(20 * MINUTE_MS);
  expect(await polls()).toBe(1);
  sandbox.set({ credits: 1_000_000 });
  await ask('{ legislationChanges(filter: { search: "vergi" }) { totalCount } }');
  const eventsAMinuteLater = () => {
    pass(MINUTE_MS);
    return subscriber.events.length;
  };
  await expect.poll(eventsAMinuteLater, { timeout: 20_000 }).toBe(1);
  expect(clock.now()).toBeLessThan(RELEASE + 3 * HOUR_MS);
  expect(subscriber.events[0]?.data).toEqual({
    calendarEventReleased: { recordId: 'de-ifo-2026-11-24' },
  });
  subscriber.leave();
  const ofQueries = async () => sandbox.spent().credits - (await polls());
  await expect.poll(ofQueries).toBe(paidBefore + 1);
  unreadUnits.credits = await polls();
});
