import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns } from '../../src/execution/turns.ts';
import { beginStretch, endStretchNow, mustWait, startBudget } from '../../src/graph/budget.ts';

/** A machine that stands still is not the operation's fault. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const LIMITS = {
  maxValuesPerOperation: Infinity,
  maxAnswerBytes: Infinity,
  maxProcessorMsPerOperation: 600,
};

test('time in which the whole machine stood still is not booked', () => {
  const budget = startBudget(LIMITS, createTurns(), 'client');
  beginStretch(budget);
  vi.advanceTimersByTime(5000);
  expect(mustWait(budget)).toBe(true);
  vi.advanceTimersByTime(5000);
  endStretchNow(budget);
  expect(budget.error).toBeUndefined();
  expect(budget.processorMs).toBe(400);
});

test('work that looks at the clock is', () => {
  const budget = startBudget(LIMITS, createTurns(), 'client');
  beginStretch(budget);
  for (let i = 0; i < 13; i += 1) {
    vi.advanceTimersByTime(50);
    mustWait(budget);
  }
  expect(budget.error?.extensions['code']).toBe('OPERATION_TOO_LARGE');
});
