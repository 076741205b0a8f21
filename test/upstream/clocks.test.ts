import { describe, expect, test } from 'vitest';
import { open } from './opened.ts';

/** Setting the wall clock does not change how long the client waits. */

const HOUR = 3_600_000;

describe.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('a wall clock that is set an hour %s', (_way, step) => {
  test('does not change the pace of requests', async () => {
    const { ask, clocks } = await open({ groupB: { requestsPerSecond: 1 } });
    expect(await ask('crypto')).toBe('ok');
    clocks.wall += step;
    expect(await ask('crypto')).toBe('RATE_LIMITED');
    clocks.monotonic += 1049;
    expect(await ask('crypto')).toBe('RATE_LIMITED');
    clocks.monotonic += 1;
    expect(await ask('crypto')).toBe('ok');
  });

  test('does not change the pause that the upstream asks for', async () => {
    const { ask, begin, clocks, sandbox } = await open();
    const headers = { 'retry-after': '30' };
    sandbox.fault({ kind: 'status', status: 429, path: '/crypto', headers, times: 1 });
    expect(await ask('crypto', begin(29_999))).toBe('RATE_LIMITED');
    clocks.wall += step;
    expect(await ask('crypto', begin(29_999))).toBe('RATE_LIMITED');
    expect(sandbox.requests()).toHaveLength(1);
    clocks.monotonic += 30_000;
    expect(await ask('crypto')).toBe('ok');
  });

  test('neither closes an open circuit nor holds it open', async () => {
    const { ask, clocks, sandbox } = await open();
    sandbox.fault({ kind: 'status', status: 503 });
    for (let i = 0; i < 3; i += 1) expect(await ask('rates')).toBe('UPSTREAM_UNAVAILABLE');
    expect(sandbox.requests()).toHaveLength(5);
    sandbox.clearFaults();
    clocks.wall += step;
    expect(await ask('rates')).toBe('UPSTREAM_UNAVAILABLE');
    expect(sandbox.requests()).toHaveLength(5);
    clocks.monotonic += 10_000;
    expect(await ask('rates')).toBe('ok');
  });

  test('neither opens a used-up meter nor keeps it closed', async () => {
    const { ask, clocks, sandbox } = await open({ credits: 0 });
    for (let i = 0; i < 2; i += 1) expect(await ask('crypto')).toBe('INSUFFICIENT_CREDITS');
    clocks.wall += step;
    expect(await ask('crypto')).toBe('INSUFFICIENT_CREDITS');
    clocks.monotonic += 59_999;
    expect(await ask('crypto')).toBe('INSUFFICIENT_CREDITS');
    expect(sandbox.requests()).toHaveLength(1);
    sandbox.set({ credits: 5 });
    clocks.monotonic += 1;
    expect(await ask('crypto')).toBe('ok');
  });
});

test.each([
  ['by the clock of the upstream', 300_000],
  ['by the wall clock if the upstream does not state its own', undefined],
])('a Retry-After that is a date is read %s', async (_by, aheadMs) => {
  const { ask, begin, clocks, sandbox } = await open();
  const date = (inMs: number) => new Date(clocks.wall + inMs).toUTCString();
  const headers = {
    date: aheadMs === undefined ? '' : date(aheadMs),
    'retry-after': date((aheadMs ?? 0) + 20_000),
  };
  sandbox.fault({ kind: 'status', status: 429, path: '/crypto', headers, times: 1 });
  expect(await ask('crypto', begin(19_999))).toBe('RATE_LIMITED');
  clocks.monotonic += 19_999;
  expect(await ask('crypto')).toBe('RATE_LIMITED');
  clocks.monotonic += 1;
  expect(await ask('crypto')).toBe('ok');
});
