import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openKeys } from '../keys/clients.ts';

/** What clients see when the machine's wall clock is set back or forward. */

const ASSET = '{ cryptoAsset(symbol: "BTC") { price } }';
const EVENTS = '{ calendarEvents { totalCount } }';
const HOUR = 3_600_000;

describe.each([
  ['back', -HOUR],
  ['forward', HOUR],
])('setting the wall clock %s by an hour', (_way, step) => {
  const start = async (options: Parameters<typeof open>[0] = {}) => {
    let monotonic = 0;
    const bench = await open({ ...options, monotonic: () => monotonic });
    const setClock = () => bench.clock.advance(step);
    const wait = (ms: number) => void (monotonic += ms);
    return { ...bench, setClock, wait };
  };

  test('does not affect the limit per second', async () => {
    const { cost, setClock, wait } = await start({ env: { GROUP_B_REQUESTS_PER_SECOND: '1' } });
    expect(await cost(ASSET)).toBe(1);
    setClock();
    wait(1050);
    expect(await cost(EVENTS)).toBe(1);
  });

  test('neither holds the circuit breaker open nor closes it', async () => {
    const { ask, get, sandbox, setClock, wait } = await start();
    sandbox.fault({ kind: 'status', status: 503, group: 'B' });
    for (let i = 0; i < 4; i += 1) {
      await ask(ASSET);
      await ask(EVENTS);
      wait(1);
    }
    sandbox.clearFaults();
    const sent = sandbox.requests().length;
    setClock();
    await ask('{ cryptoAsset(symbol: "ETH") { price } }');
    expect(sandbox.requests()).toHaveLength(sent);
    wait(60_000);
    await get(EVENTS);
  });

  test('neither frees an exhausted meter early nor keeps it exhausted', async () => {
    const { ask, get, sandbox, setClock, wait } = await start({ credits: 0 });
    await ask(ASSET);
    sandbox.set({ credits: null });
    setClock();
    wait(59_999);
    expect((await ask(ASSET)).errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_CREDITS' } },
    ]);
    wait(1);
    await get(ASSET);
  });
});

describe('after a wall clock that was days ahead is corrected', () => {
  const DAY = 24 * HOUR;
  async function start(daysAhead: number) {
    let monotonic = 0;
    const bench = await open({ monotonic: () => monotonic });
    bench.clock.advance(daysAhead * DAY);
    const correctClock = () => bench.clock.advance(-daysAhead * DAY);
    return { ...bench, correctClock, wait: (ms: number) => void (monotonic += ms) };
  }

  test('days that seemed settled are requested again, once', async () => {
    const { cost, correctClock, wait } = await start(10);
    expect(await cost(EVENTS)).toBe(1);
    correctClock();
    wait(1000);
    expect(await cost(EVENTS)).toBe(1);
    expect(await cost(EVENTS)).toBe(0);
  });

  test('an answer that was cached for the wrong day is not served', async () => {
    const { ask, correctClock, wait } = await start(3);
    const query = '{ macroSeries(code: "TP.DK.USD.A") { observations { end } } }';
    for (let i = 0; i < 3; i += 1) await ask(query);
    correctClock();
    wait(1000);
    const { data } = await ask(query);
    expect(data).toEqual((await ask(`${query} `)).data);
    expect(data).toMatchObject({ macroSeries: { observations: { end: '2026-11-20' } } });
  });
});

test('after the wall clock was a day ahead, the budgets shown are those of today again', async () => {
  const budgets = [{ meter: 'FX', window: 'DAY', limit: 5 }];
  const { bench, ask } = await openKeys([{ name: 'web', budgets }], { monotonic: () => 0 });
  const shown = async (query: string) => (await ask('web', query)).extensions.usage.client?.budgets;
  const today = await shown('{ fxRates { totalCount } }');
  expect(today).toMatchObject([{ used: 1 }]);
  bench.clock.advance(24 * HOUR);
  expect(await shown('{ __typename }')).toMatchObject([{ used: 0 }]);
  bench.clock.advance(-24 * HOUR);
  expect(await shown('{ __typename }')).toEqual(today);
});
