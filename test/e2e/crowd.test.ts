import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import type { Reply } from '../reply.ts';
import { assetsBelow500 } from '../upstream.ts';

/** Many clients at once, some of which disconnect, while the upstream fails. */

const QUERY = '{ fxRates { totalCount } cryptoAssets { totalCount } }';
const atOnce = (count: number, ask: (i: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)));

const usedBy = (replies: Reply[], meter: 'fx' | 'credits') =>
  replies.reduce((sum, { extensions }) => sum + extensions.usage[meter].used, 0);

describe('50 identical operations at once', () => {
  test.each([
    ['is down', { kind: 'status', status: 503 }, 'UPSTREAM_UNAVAILABLE', 4, 0],
    ['is unreadable', { kind: 'truncated-json' }, 'UPSTREAM_BAD_RESPONSE', 2, 1],
    ['refuses the key', { kind: 'status', status: 401 }, 'UPSTREAM_AUTHENTICATION', 2, 0],
  ] as const)('share one failure while the upstream %s', async (...given) => {
    const [, fault, code, requests, cost] = given;
    const { ask, sandbox } = await open({ latencyMs: 30 });
    sandbox.fault(fault);
    const replies = await atOnce(50, () => ask(QUERY));
    expect(sandbox.requests()).toHaveLength(requests);
    for (const { errors } of replies)
      expect(errors.map(({ extensions }) => extensions.code)).toEqual([code, code]);
    expect([usedBy(replies, 'fx'), usedBy(replies, 'credits')]).toEqual([cost, cost]);
  });

  test('do not pile up on an upstream that has just failed', async () => {
    const { ask, sandbox, clock } = await open();
    sandbox.fault({ kind: 'status', status: 503 });
    await ask('{ fxRates { totalCount } }');
    expect(sandbox.requests()).toHaveLength(2);
    await atOnce(50, () => ask('{ fxRates { totalCount } }'));
    expect(sandbox.requests()).toHaveLength(2);
    clock.advance(60_000);
    sandbox.clearFaults();
    expect((await ask('{ fxRates { totalCount } }')).errors).toEqual([]);
  });
});

test('different queries at the same time share requests, too', async () => {
  const { ask, sandbox } = await open({ latencyMs: 20 });
  const replies = await atOnce(60, (i) =>
    ask(
      [
        `{ fxRates(first: ${i + 1}) { totalCount } }`,
        `{ cryptoAssets(first: ${i + 1}) { totalCount } }`,
        `{ calendarEvents(filter: { end: "2026-11-${20 + (i % 8)}" }) { totalCount } }`,
      ][i % 3] ?? '',
    ),
  );
  expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
  expect(sandbox.requests()).toHaveLength(3);
  expect(sandbox.peakSameUrl()).toBe(1);
  expect(usedBy(replies, 'fx') + usedBy(replies, 'credits')).toBe(3);
});

test('an operation sends no more requests than its own budget, whatever others send', async () => {
  const env = { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' };
  const { ask, sandbox } = await open({ env });
  const release = sandbox.fault({ kind: 'hold' });
  const first = ask(QUERY);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  // Each operation may send one request; the one that the first has sent serves another operation, too.
  const others = [ask('{ fxRates { totalCount } }'), ask('{ cryptoAssets { totalCount } }')];
  await expect.poll(() => sandbox.requests()).toHaveLength(2);
  release();
  const [both, ...served] = await Promise.all([first, ...others]);
  expect(served.map(({ errors }) => errors)).toEqual([[], []]);
  expect(both.extensions.usage.upstream.requests).toBe(1);
  expect(sandbox.requests()).toHaveLength(2);
});

test('the request of a client that disconnects is finished, paid for once and cached', async () => {
  const { url, ask, sandbox } = await open({ unreadUnits: 1 });
  const release = sandbox.fault({ kind: 'hold' });
  const query = '{ fxRates { totalCount } }';
  const leaving = new AbortController();
  const abandoned = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  }).catch(() => 'left');
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  leaving.abort();
  expect(await abandoned).toBe('left');
  release();
  const { errors, extensions } = await ask(query);
  expect(errors).toEqual([]);
  expect(extensions.usage.fx).toMatchObject({ used: 0, usedThisMonth: 1 });
  expect(sandbox.requests()).toHaveLength(1);
});

test('an answer that states a failure is a refusal, despite status 200', async () => {
  const { ask, sandbox } = await open();
  const body = { success: false, error: { code: 'insufficient_credits' } };
  sandbox.fault({ kind: 'status', status: 200, body, group: 'B' });
  sandbox.fault({ kind: 'status', status: 200, body: { success: false }, group: 'A' });
  const { errors, extensions } = await ask(QUERY);
  const codes = errors.map(({ path, extensions: { code } }) => [path?.[0], code]);
  expect(codes).toContainEqual(['cryptoAssets', 'UPSTREAM_BAD_RESPONSE']);
  expect(codes).toContainEqual(['fxRates', 'UPSTREAM_BAD_RESPONSE']);
  expect([extensions.usage.fx.used, extensions.usage.credits.used]).toEqual([0, 0]);
});

test('a ticker that the upstream refuses does not make others fail', async () => {
  const { ask, cost, sandbox } = await open({ latencyMs: 20 });
  const [first, second] = assetsBelow500(sandbox, 2);
  const [odd, even] = await Promise.all([
    ask(`{ asset: cryptoAsset(symbol: "B/TC") { symbol } }`),
    ask(`{ asset: cryptoAsset(symbol: "${first}") { symbol } }`),
  ]);
  expect(odd.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', group: 'B' } }]);
  expect([even.data, even.errors]).toEqual([{ asset: { symbol: first } }, []]);
  const { data, errors } = await ask(
    `{ odd: cryptoAsset(symbol: "B/TC") { symbol } even: cryptoAsset(symbol: "${second}") { symbol } }`,
  );
  expect(data).toEqual({ odd: null, even: { symbol: second } });
  expect(errors).toMatchObject([{ path: ['odd'] }]);
  expect(
    await cost(`{ cryptoAssets(filter: { symbols: ["${first}", "${second}"] }) { totalCount } }`),
  ).toBe(0);
});
