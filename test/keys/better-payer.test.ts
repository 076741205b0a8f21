import { expect, onTestFinished, test, vi } from 'vitest';
import { openKeys } from './clients.ts';
import { listen } from './listening.ts';

/** A client of high priority can pay for polls again, while one of low priority pays for the next one much later. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ALMOST_MIDNIGHT = Date.parse('2026-11-24T23:30:00+03:00');
const STATE = '{ usage { fx { background forecast { stretch } } } }';

interface Found {
  usage: { fx: { background: number; forecast: { stretch: number } } };
}

test('polls follow its rhythm within a minute', async () => {
  let monotonic = 0;
  const unreadUnits = { fx: 0 };
  const high = {
    name: 'high',
    priority: 'HIGH',
    budgets: [{ meter: 'FX', window: 'DAY', limit: 1 }],
  };
  const keys = await openKeys([{ name: 'low', priority: 'LOW' }, high, { name: 'other' }], {
    // Clocks may move on by minutes while a request is in flight.
    env: { UPSTREAM_TIMEOUT_MS: '3600000', FX_MONTHLY_LIMIT: '280' },
    monotonic: () => monotonic,
    unreadUnits,
  });
  const { bench, ask, headersOf } = keys;
  const advance = (ms: number) => {
    monotonic += ms;
    bench.clock.advance(ms);
  };
  const state = async () => (await ask<Found>('other', STATE)).data.usage.fx;
  const pairs = ['EURTRY', 'GBPTRY', 'EURUSD'];
  for (let i = 0; bench.clock.now() < ALMOST_MIDNIGHT - HOUR_MS; i += 1) {
    await ask('other', `{ fxRate(pair: "${pairs[i % 3]}") { history { change } } }`);
    advance(HOUR_MS / 2);
  }
  advance(ALMOST_MIDNIGHT - bench.clock.now());
  expect((await state()).forecast.stretch).toBeGreaterThan(30);

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const both = [
    await listen(bench.url, headersOf('high')),
    await listen(bench.url, headersOf('low')),
  ];
  const polls = async () => (await state()).background;
  await expect.poll(polls).toBe(1);
  const pass = (ms: number) => {
    advance(ms);
    vi.advanceTimersByTime(ms);
  };
  let minutes = 0;
  const pollsAMinuteLater = async () => {
    pass(MINUTE_MS);
    minutes += 1;
    return polls();
  };
  // The day's budget is used up: the other client pays next, unless midnight comes before.
  await expect.poll(pollsAMinuteLater, { timeout: 20_000 }).toBe(2);
  expect(minutes).toBeLessThan(35);
  const { client } = (await ask('high', '{ __typename }')).extensions.usage;
  expect(client?.budgets).toMatchObject([{ used: 1, resetsAt: '2026-11-25T21:00:00.000Z' }]);
  for (const one of both) one.leave();
  unreadUnits.fx = await polls();
});
