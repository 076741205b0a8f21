import { expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/upstream/circuit-breaker.ts';
import {
  Aborted,
  FailedOnText,
  IncompleteBody,
  MarketError,
  NotSent,
  Unanswered,
} from '../../src/upstream/errors.ts';
import { open } from './opened.ts';

/** Requests without an answer may have been charged: what probes of a silent upstream may cost, and how many are sent. */

/** The longest pause between probes that cost nothing, and between those that may have been charged. */
const PAUSE_MS = 10_000;
const UNANSWERED_PAUSE_MS = 60_000;

const stayUnanswered = () => Promise.reject(new Unanswered('UPSTREAM_TIMEOUT'));
const fail = () => Promise.reject(new MarketError('UPSTREAM_UNAVAILABLE'));
const succeed = () => Promise.resolve('an answer');

const outcome = (task: Promise<unknown>) =>
  task.catch((error: unknown) => (error instanceof NotSent ? 'not sent' : 'sent, and failed'));

/** Circuit breakers of siblings that five requests without an answer have opened, and their clock. */
async function opened(count = 1) {
  let now = 0;
  const listeners: ((text: string) => void)[] = [];
  const breakers = Array.from({ length: count }, (_, own) =>
    createCircuitBreaker('A', () => now, {
      listen: (_topic, listener) => void (listeners[own] = listener),
      publish: (_topic, text) => listeners.forEach((listener, i) => i !== own && listener(text)),
    }),
  );
  const breaker = breakers[0]!;
  for (let i = 0; i < 5; i += 1) await outcome(breaker.run(stayUnanswered));
  const advance = (ms: number) => void (now += ms);
  return { breakers, breaker, advance, now: () => now };
}

/** The same after a probe that got no answer either. */
async function silent() {
  const all = await opened();
  all.advance(PAUSE_MS);
  await outcome(all.breaker.run(stayUnanswered, fail));
  all.advance(PAUSE_MS);
  return all;
}

test('after a probe without an answer, nothing else is sent until the free check gets a reply, soon after it does', async () => {
  const { breaker, advance } = await silent();
  const sent = vi.fn<() => Promise<string>>(succeed);
  for (let i = 0; i < 50; i += 1) {
    expect(await outcome(breaker.run(sent, fail))).toBe('not sent');
    advance(PAUSE_MS);
  }
  expect(sent).not.toHaveBeenCalled();
  expect(await outcome(breaker.run(sent, succeed))).toBe('an answer');
  expect(breaker.isClosed()).toBe(true);
});

test('a check whose body is cut off has got a reply; one that was aborted lets nothing be sent', async () => {
  const { breaker } = await silent();
  const sent = vi.fn<() => Promise<string>>(succeed);
  const abort = () => Promise.reject(new Aborted('UPSTREAM_UNAVAILABLE'));
  await expect(breaker.run(sent, abort)).rejects.toBeInstanceOf(Aborted);
  expect(sent).not.toHaveBeenCalled();
  const cutOff = () => Promise.reject(new IncompleteBody('UPSTREAM_UNAVAILABLE'));
  expect(await outcome(breaker.run(sent, cutOff))).toBe('an answer');
});

test('if only the check gets replies, about one request a minute may be charged', async () => {
  const { breaker, advance, now } = await silent();
  const sent = vi.fn<() => Promise<never>>(stayUnanswered);
  for (const end = now() + 3_600_000; now() < end; advance(1000))
    await outcome(breaker.run(sent, succeed));
  expect(sent.mock.calls.length).toBeLessThan(75);
  advance(UNANSWERED_PAUSE_MS);
  // Once the check gets no reply either, it follows as often as before.
  await outcome(breaker.run(sent, fail));
  advance(PAUSE_MS);
  expect(await outcome(breaker.run(succeed, succeed))).toBe('an answer');
});

test('after a failure that costs nothing, a probe needs no check, and follows within ten seconds', async () => {
  const { breaker, advance } = await silent();
  for (let i = 0; i < 20; i += 1) {
    await outcome(breaker.run(stayUnanswered, succeed));
    advance(UNANSWERED_PAUSE_MS);
  }
  const check = vi.fn<() => Promise<string>>(succeed);
  for (let i = 0; i < 5; i += 1) {
    expect(await outcome(breaker.run(fail, check))).toBe('sent, and failed');
    advance(PAUSE_MS);
  }
  expect(check).toHaveBeenCalledTimes(1);
  expect(await outcome(breaker.run(succeed, check))).toBe('an answer');
});

test('a probe that fails on a text is a reply: the next one needs no check while texts are held back', async () => {
  const { breaker, advance } = await silent();
  const check = vi.fn<() => Promise<string>>(succeed);
  const failOnText = () => Promise.reject(new FailedOnText('UPSTREAM_UNAVAILABLE'));
  const hold = () => Promise.reject(new NotSent('UPSTREAM_UNAVAILABLE'));
  expect(await outcome(breaker.run(failOnText, check))).toBe('sent, and failed');
  for (let i = 0; i < 10; i += 1) expect(await outcome(breaker.run(hold, check))).toBe('not sent');
  expect(check).toHaveBeenCalledTimes(1);
  advance(PAUSE_MS);
  expect(await outcome(breaker.run(succeed, check))).toBe('an answer');
  expect(check).toHaveBeenCalledTimes(2);
});

test('without a free check, probes follow within ten seconds, answered or not', async () => {
  const { breaker, advance } = await opened();
  for (let i = 0; i < 20; i += 1) {
    advance(PAUSE_MS);
    expect(await outcome(breaker.run(stayUnanswered))).toBe('sent, and failed');
  }
});

test('siblings do not probe at the same time, and wait only once for a probe that is never sent', async () => {
  const { breakers, advance } = await opened(2);
  const [one, other] = [breakers[0]!, breakers[1]!];
  advance(PAUSE_MS);
  const unsent = () => Promise.reject(new NotSent('RATE_LIMITED'));
  await outcome(one.run(unsent));
  expect(await outcome(other.run(succeed))).toBe('not sent');
  advance(PAUSE_MS);
  await outcome(one.run(unsent));
  expect(await outcome(other.run(succeed))).toBe('an answer');
});

test("after a sibling's answer, nobody waits for a probe that hangs, and its failure is one outage among others", async () => {
  const { breakers, advance } = await opened(2);
  const [one, other] = [breakers[0]!, breakers[1]!];
  advance(PAUSE_MS);
  const hanging = Promise.withResolvers<string>();
  const probed = outcome(one.run(() => hanging.promise));
  advance(PAUSE_MS);
  expect(await outcome(other.run(succeed))).toBe('an answer');
  expect(await outcome(one.run(succeed))).toBe('an answer');
  hanging.reject(new Unanswered('UPSTREAM_TIMEOUT'));
  expect(await probed).toBe('sent, and failed');
  expect([one.isClosed(), other.isClosed()]).toEqual([true, true]);
});

test('a health check that begins a probe is reported as one, and the request as not sent if it gets no reply', async () => {
  const { ask, ends, sandbox, clocks, begin } = await open({ timeoutMs: 200 });
  const clearFault = sandbox.fault({ kind: 'hang', group: 'A' });
  for (let i = 0; i < 5; i += 1, clocks.monotonic += PAUSE_MS) await ask('rates');
  const operation = begin();
  expect(await ask('rates', operation)).toBe('UPSTREAM_UNAVAILABLE');
  expect(operation).toMatchObject({ requests: 0, healthChecks: 1, failed: 1 });
  const health = { dataset: 'health', meter: undefined, wasSent: true, result: 'UPSTREAM_TIMEOUT' };
  const refused = { dataset: 'fx', wasSent: false, result: 'UPSTREAM_UNAVAILABLE' };
  expect(ends.slice(-2)).toMatchObject([health, refused]);
  clearFault();
  // Whatever the reply is: a proxy in front may not know the path.
  sandbox.fault({ kind: 'status', status: 404, path: '/health' });
  clocks.monotonic += PAUSE_MS;
  expect(await ask('rates')).toBe('ok');
});
