import { expect, onTestFinished, test, vi } from 'vitest';
import { open } from '../harness.ts';
import { expectEvents } from './gateway.ts';
import { openSse } from './sse.ts';

/** The only release at this moment is Germany's ifo index. */
const RELEASE = Date.parse('2026-11-24T12:00:00+03:00');
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const query = 'subscription { calendarEventReleased(filter: { countries: ["DE"] }) { recordId } }';

const USAGE = '{ usage { credits { background } } }';

interface Usage {
  usage: { credits: { background: number } };
}

/**
 * Subscribes some hours before the release. Clocks and timers move only by `setClock` and `pass`. `credits`: how many
 * are spent in all.
 */
async function start(hoursBefore: number, credits: number) {
  let monotonic = 0;
  const options = { env: { TTL_CALENDAR: '30' }, monotonic: () => monotonic };
  const { url, get, clock } = await open({ ...options, unreadUnits: { credits } });
  clock.set(new Date(RELEASE - hoursBefore * HOUR_MS).toISOString());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const subscriber = await openSse(url, { query });
  onTestFinished(subscriber.leave);
  const pass = (ms: number) => {
    monotonic += ms;
    clock.advance(ms);
    vi.advanceTimersByTime(ms);
  };
  const polls = async () => (await get<Usage>(USAGE)).usage.credits.background;
  await expect.poll(polls).toBe(1);
  return { subscriber, setClock: clock.advance, pass, polls };
}

test('a release is told although only the wall clock has counted the hours before it', async () => {
  const { subscriber, setClock, pass, polls } = await start(3, 2);
  setClock(3 * HOUR_MS);
  pass(MINUTE_MS);
  await expectEvents([subscriber], 1);
  await expect.poll(polls).toBe(2);
});

test('a release is told in time after the wall clock was days ahead for a moment', async () => {
  const { subscriber, setClock, pass, polls } = await start(0.05, 4);
  setClock(72 * HOUR_MS);
  pass(MINUTE_MS);
  await expect.poll(polls).toBe(2);
  setClock(-72 * HOUR_MS);
  pass(MINUTE_MS);
  await expect.poll(polls).toBe(3);
  pass(MINUTE_MS + 20);
  const told = { calendarEventReleased: { recordId: 'de-ifo-2026-11-24' } };
  await expect.poll(() => subscriber.events.at(-1)?.data).toEqual(told);
  await expect.poll(polls).toBe(4);
});

test('a clock that is corrected by seconds costs nothing', async () => {
  const { setClock, pass, polls } = await start(3, 1);
  for (const seconds of [10, -15]) {
    setClock(seconds * 1000);
    pass(MINUTE_MS);
  }
  await expect.poll(polls).toBe(1);
});
