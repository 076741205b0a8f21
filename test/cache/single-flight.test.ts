import { expect, test } from 'vitest';
import {
  addToWaiting,
  createInFlight,
  createSingleFlight,
  type Dispatch,
} from '../../src/cache/single-flight.ts';
import { FreeRefusal, MarketError, NotSent } from '../../src/upstream/errors.ts';
import { DryRunStop, startEstimate } from '../../src/usage/estimate.ts';
import { startOperation } from '../../src/usage/operation.ts';

const begin = (isDry = false) =>
  startOperation({
    maxRequests: 100,
    deadline: Infinity,
    ...(isDry && { estimate: startEstimate() }),
  });

/** Single flights whose clock and tasks the test controls. */
function open() {
  const clock = { now: 1000 };
  const share = createSingleFlight<string>(() => clock.now);
  const started: PromiseWithResolvers<string>[] = [];
  const ask = (operation = begin(), key = 'key') =>
    share(key, operation, () => {
      const task = Promise.withResolvers<string>();
      started.push(task);
      return task.promise;
    });
  return { clock, started, ask };
}

const failureOf = (task: Promise<unknown>) => task.catch((error: unknown) => error);

test('an operation that asks while a request is in flight gets its result, and counts as coalesced', async () => {
  const { started, ask } = open();
  const operations = [begin(), begin(), begin()];
  const results = operations.map((operation) => ask(operation));
  expect(started).toHaveLength(1);
  started[0]?.resolve('result');
  expect(await Promise.all(results)).toEqual(['result', 'result', 'result']);
  expect(operations.map(({ coalesced }) => coalesced)).toEqual([0, 1, 1]);
  const next = ask();
  expect(started).toHaveLength(2);
  started[1]?.resolve('next');
  expect(await next).toBe('next');
});

test('different keys are different requests', async () => {
  const { started, ask } = open();
  const both = [ask(begin(), 'a'), ask(begin(), 'b')];
  started[0]?.resolve('a');
  started[1]?.resolve('b');
  expect(await Promise.all(both)).toEqual(['a', 'b']);
});

test("a dry run's request, which ends at once, counts as still in flight", async () => {
  const { started, ask } = open();
  const dry = begin(true);
  const first = failureOf(ask(dry));
  started[0]?.reject(new DryRunStop());
  await first;
  expect(await failureOf(ask(dry))).toBeInstanceOf(DryRunStop);
  expect(started).toHaveLength(1);
});

test.each([[true], [false]])(
  'a dry run neither joins nor is joined (dry first: %s)',
  async (isDryFirst) => {
    const { started, ask } = open();
    const operations = [begin(isDryFirst), begin(!isDryFirst), begin(true)];
    const results = operations.map((operation) => ask(operation));
    expect(started).toHaveLength(3);
    for (const [i, { resolve }] of started.entries()) resolve(`${i}`);
    expect(await Promise.all(results)).toEqual(['0', '1', '2']);
    expect(operations.map(({ coalesced }) => coalesced)).toEqual([0, 0, 0]);
  },
);

test.each([
  ['budget', new MarketError('UPSTREAM_BUDGET_EXCEEDED', { group: 'A' })],
  ['deadline', new NotSent('RATE_LIMITED', { group: 'B' })],
])(
  'the %s of the operation that started a request does not fail those that joined it',
  async (_what, error) => {
    const { started, ask } = open();
    const operations = [begin(), begin(), begin()];
    const [first, second, third] = operations.map((operation) => ask(operation));
    started[0]?.reject(error);
    expect(await failureOf(first!)).toBe(error);
    await new Promise(setImmediate);
    expect(started).toHaveLength(2);
    started[1]?.resolve('result');
    expect(await Promise.all([second, third])).toEqual(['result', 'result']);
    expect(operations.map(({ coalesced }) => coalesced)).toEqual([0, 0, 1]);
  },
);

/** Longer than the pause after a first failure, which is random, and shorter than the one after twenty. */
const SHORT_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

test('after a failure nothing is sent for a while, longer each time, until a success', async () => {
  const { clock, started, ask } = open();
  const failure = new MarketError('UPSTREAM_UNAVAILABLE', { group: 'A' });
  async function fail(): Promise<void> {
    const asked = ask();
    started.at(-1)?.reject(failure);
    expect(await failureOf(asked)).toBe(failure);
    const sent = started.length;
    expect(await failureOf(ask())).toBe(failure);
    expect(started).toHaveLength(sent);
  }
  async function succeed(): Promise<void> {
    const asked = ask();
    started.at(-1)?.resolve('result');
    expect(await asked).toBe('result');
  }
  await fail();
  clock.now += SHORT_PAUSE_MS;
  for (let failures = 1; failures <= 20; failures += 1) {
    await fail();
    clock.now += LONGEST_PAUSE_MS;
  }
  await fail();
  clock.now += SHORT_PAUSE_MS;
  expect(await failureOf(ask())).toBe(failure);
  clock.now += LONGEST_PAUSE_MS;
  await succeed();
  await fail();
  clock.now += SHORT_PAUSE_MS;
  await succeed();
});

test('while answers cannot be read, which may cost a unit each, less is sent than while all is refused for free', async () => {
  /** Returns how many requests are sent in two hours if each fails like this. */
  async function sentWith(failure: MarketError): Promise<number> {
    const { clock, started, ask } = open();
    for (const end = clock.now + 7_200_000; clock.now < end; clock.now += 5000) {
      const asked = ask();
      started.at(-1)?.reject(failure);
      expect(await failureOf(asked)).toBe(failure);
    }
    return started.length;
  }
  const about = ['UPSTREAM_BAD_RESPONSE', { group: 'A' }] as const;
  expect(await sentWith(new MarketError(...about))).toBeLessThan(110);
  expect(await sentWith(new FreeRefusal(...about))).toBeGreaterThan(150);
});

test.each(['BAD_USER_INPUT', 'UPSTREAM_BUDGET_EXCEEDED', 'QUOTA_EXCEEDED'] as const)(
  'a failure that says nothing about the next operation is not remembered: %s',
  async (code) => {
    const { started, ask } = open();
    for (let tries = 1; tries <= 2; tries += 1) {
      const asked = ask();
      started.at(-1)?.reject(new MarketError(code, { group: 'A' }));
      await failureOf(asked);
      expect(started).toHaveLength(tries);
    }
  },
);

test('a request may ask for more until it is dispatched, and is dispatched once', async () => {
  const inFlight = createInFlight<string, string>(() => 0);
  const requests = inFlight(begin());
  const dispatches: Dispatch<string>[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const request = requests.start('key', 'a', (dispatch) => {
    dispatches.push(dispatch);
    return promise;
  });
  expect(addToWaiting(requests.of('key'), () => undefined)).toBeUndefined();
  expect(addToWaiting(requests.of('key'), (wanted) => `${wanted}b`)).toBe(request);
  expect(dispatches[0]?.((wanted) => `${wanted}c`)).toBe('abc');
  expect(dispatches[0]?.((wanted) => `${wanted}d`)).toBe('abc');
  expect(addToWaiting(requests.of('key'), (wanted) => `${wanted}e`)).toBeUndefined();
  expect(requests.of('key')).toEqual([request]);
  resolve('done');
  expect(await request.result).toBe('done');
  expect(requests.of('key')).toEqual([]);
});
