import { expect, test } from 'vitest';
import { countSleep } from '../src/monotonic.ts';

/** A machine whose clocks advance only when the test lets it stay awake or sleep. */
function openMachine() {
  const clock = { awake: 0, up: 10_000_000 };
  const now = countSleep(
    () => clock.up / 1000,
    () => clock.awake,
  );
  const sleep = (ms: number) => void (clock.up += ms);
  const stayAwake = (ms: number) => {
    clock.awake += ms;
    sleep(ms);
  };
  return { now, sleep, stayAwake };
}

test('time asleep counts once a second has passed since the clock was last read', () => {
  const { now, stayAwake, sleep } = openMachine();
  stayAwake(2500);
  expect(now()).toBe(2500);
  sleep(3_600_000);
  expect(now()).toBe(2500);
  stayAwake(1000);
  expect(now()).toBe(3_603_500);
  sleep(60_000);
  stayAwake(10_000);
  expect(now()).toBe(3_673_500);
  stayAwake(10_000);
  expect(now()).toBe(3_683_500);
});

test('differences below five seconds are not taken for sleep, however often they occur', () => {
  const { now, stayAwake, sleep } = openMachine();
  for (let i = 0; i < 100; i += 1) {
    sleep(i % 2 === 0 ? 1000 : -1000);
    stayAwake(1000);
    expect(now()).toBe((i + 1) * 1000);
  }
});
