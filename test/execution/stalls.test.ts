import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns } from '../../src/execution/turns.ts';
import { beginSlice, endSliceNow, mustWait } from '../../src/graph/time-slices.ts';
import { allotResources } from '../../src/graph/resources.ts';

/** Of the time for which the machine stalls, hardly any is charged to an operation. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const LIMITS = {
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: 600,
};

test('of a stall of the whole machine, at most 100 ms are charged', () => {
  const resources = allotResources(LIMITS, createTurns(), 'client');
  beginSlice(resources);
  vi.advanceTimersByTime(5000);
  expect(mustWait(resources)).toBe(true);
  vi.advanceTimersByTime(5000);
  endSliceNow(resources);
  expect(resources.error).toBeUndefined();
  expect(resources.processorMs).toBe(400);
});

test('work that reads the clock is charged', () => {
  const resources = allotResources(LIMITS, createTurns(), 'client');
  beginSlice(resources);
  for (let i = 0; i < 13; i += 1) {
    vi.advanceTimersByTime(50);
    mustWait(resources);
  }
  expect(resources.error?.extensions['code']).toBe('OPERATION_TOO_LARGE');
});
