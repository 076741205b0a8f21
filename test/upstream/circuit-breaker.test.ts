import { expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/upstream/circuit-breaker.ts';
import {
  FailedOnText,
  IncompleteBody,
  type FailureCode,
  MarketError,
  NotSent,
} from '../../src/upstream/errors.ts';

/** A clock for each circuit breaker: `advance` moves it, and nothing else does. */
function create() {
  let now = 0;
  const breaker = createCircuitBreaker('A', () => now);
  return { ...breaker, advance: (ms: number) => void (now += ms) };
}

/** The longest pause of the circuit breaker. */
const LONGEST_PAUSE_MS = 10_000;
/** Longer than the first pause can be. */
const FIRST_PAUSE_MS = 1400;

const fail = (code: FailureCode) => () => Promise.reject(new MarketError(code));
/** The answer was still arriving at the timeout. */
const timeOut = () => Promise.reject(new IncompleteBody('UPSTREAM_TIMEOUT'));
const succeed = () => Promise.resolve('an answer');

/** Whether the request was sent and failed, was not sent, or its answer. */
const outcome = (task: Promise<unknown>) =>
  task.catch((error: unknown) => (error instanceof NotSent ? 'not sent' : 'sent, and failed'));

async function opened() {
  const breaker = create();
  for (let i = 0; i < 5; i += 1) await outcome(breaker.run(fail('UPSTREAM_TIMEOUT')));
  return breaker;
}

test('five outages in a row open the circuit; a refusal or an answer in between starts the count anew', async () => {
  const breaker = create();
  for (const between of [fail('UPSTREAM_AUTHENTICATION'), succeed]) {
    for (let i = 0; i < 4; i += 1) await outcome(breaker.run(fail('UPSTREAM_UNAVAILABLE')));
    await outcome(breaker.run(between));
    expect(breaker.isClosed()).toBe(true);
  }
  expect((await opened()).isClosed()).toBe(false);
});

test('two answers that were still arriving at the timeout count as one outage, unless another answer came between', async () => {
  const breaker = create();
  await outcome(breaker.run(timeOut));
  await outcome(breaker.run(succeed));
  for (let i = 0; i < 9; i += 1) await outcome(breaker.run(timeOut));
  expect(breaker.isClosed()).toBe(true);
  await outcome(breaker.run(timeOut));
  expect(breaker.isClosed()).toBe(false);
});

test('an open circuit sends nothing before its pause is over, and an answered probe closes it', async () => {
  const breaker = await opened();
  expect(await outcome(breaker.run(succeed))).toBe('not sent');
  breaker.advance(LONGEST_PAUSE_MS);
  expect(await outcome(breaker.run(succeed))).toBe('an answer');
  expect(breaker.isClosed()).toBe(true);
});

test('one probe is sent at a time, and other requests wait for its outcome', async () => {
  const breaker = await opened();
  breaker.advance(LONGEST_PAUSE_MS);
  const probe = Promise.withResolvers<string>();
  const sent = vi.fn<() => Promise<string>>(() => probe.promise);
  const all = Promise.all([sent, sent, succeed].map((task) => outcome(breaker.run(task))));
  await new Promise(setImmediate);
  expect(sent).toHaveBeenCalledTimes(1);
  probe.reject(new MarketError('UPSTREAM_UNAVAILABLE'));
  expect(await all).toEqual(['sent, and failed', 'not sent', 'not sent']);
});

test('a probe that was never sent decides nothing: the next request is the probe', async () => {
  const breaker = await opened();
  breaker.advance(LONGEST_PAUSE_MS);
  const unsent = () => Promise.reject(new NotSent('RATE_LIMITED'));
  expect(await outcome(breaker.run(unsent))).toBe('not sent');
  expect(breaker.isClosed()).toBe(false);
  expect(await outcome(breaker.run(succeed))).toBe('an answer');
});

test('after a probe that failed on a text, requests with texts wait for a second, and any other may probe at once', async () => {
  const breaker = await opened();
  breaker.advance(LONGEST_PAUSE_MS);
  expect(breaker.holdsTexts()).toBe(false);
  const failed = () => Promise.reject(new FailedOnText('UPSTREAM_UNAVAILABLE'));
  for (let i = 0; i < 10; i += 1) {
    expect(await outcome(breaker.run(failed))).toBe('sent, and failed');
    expect(breaker.holdsTexts()).toBe(true);
    breaker.advance(1000);
    expect(breaker.holdsTexts()).toBe(false);
  }
  await outcome(breaker.run(failed));
  expect(breaker.isClosed()).toBe(false);
  expect(await outcome(breaker.run(succeed))).toBe('an answer');
  expect([breaker.isClosed(), breaker.holdsTexts()]).toEqual([true, false]);
});

test('slow probes, however many, hold requests back no longer than the first outages', async () => {
  const breaker = await opened();
  breaker.advance(LONGEST_PAUSE_MS);
  await outcome(breaker.run(fail('UPSTREAM_TIMEOUT')));
  breaker.advance(LONGEST_PAUSE_MS);
  for (let i = 0; i < 10; i += 1) {
    expect(await outcome(breaker.run(timeOut))).toBe('sent, and failed');
    expect(await outcome(breaker.run(succeed))).toBe('not sent');
    breaker.advance(FIRST_PAUSE_MS);
  }
  expect(await outcome(breaker.run(succeed))).toBe('an answer');
});

test('a request that another process sends instead reveals nothing about the upstream', async () => {
  const breaker = await opened();
  breaker.advance(LONGEST_PAUSE_MS);
  await breaker.run(() => Promise.resolve(undefined));
  expect(breaker.isClosed()).toBe(false);
  expect(await breaker.run(succeed)).toBe('an answer');
  expect(breaker.isClosed()).toBe(true);
});

/** Lets processes join, whose circuit breakers inform each other from then on. */
function createLine(monotonic = () => 0) {
  const listeners: ((text: string) => void)[] = [];
  return {
    join() {
      const own = listeners.length;
      return createCircuitBreaker('A', monotonic, {
        listen: (_topic, listener) => void (listeners[own] = listener),
        publish: (_topic, text) => listeners.forEach((listener, i) => i !== own && listener(text)),
      });
    },
  };
}

test('siblings count outages together, and one probe is enough for all', async () => {
  let now = 0;
  const { join } = createLine(() => now);
  const [first, second, third] = [join(), join(), join()];
  const states = () => [first, second, third].map(({ isClosed }) => isClosed());
  for (const breaker of [first, second, third, first])
    await outcome(breaker.run(fail('UPSTREAM_TIMEOUT')));
  expect(states()).toEqual([true, true, true]);
  await outcome(second.run(fail('UPSTREAM_TIMEOUT')));
  expect(states()).toEqual([false, false, false]);
  expect(await outcome(third.run(succeed))).toBe('not sent');

  now += LONGEST_PAUSE_MS;
  expect(await outcome(first.run(fail('UPSTREAM_TIMEOUT')))).toBe('sent, and failed');
  expect(await outcome(second.run(succeed))).toBe('not sent');
  now += LONGEST_PAUSE_MS;
  expect(await outcome(third.run(succeed))).toBe('an answer');
  expect(states()).toEqual([true, true, true]);
});

test('a process that joins while the others wait learns of it by their next probe', async () => {
  let now = 0;
  const { join } = createLine(() => now);
  const older = join();
  for (let i = 0; i < 5; i += 1) await outcome(older.run(fail('UPSTREAM_TIMEOUT')));
  const newer = join();
  expect(newer.isClosed()).toBe(true);
  now += LONGEST_PAUSE_MS;
  await outcome(older.run(fail('UPSTREAM_TIMEOUT')));
  expect(newer.isClosed()).toBe(false);
});
