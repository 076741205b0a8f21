import { expect, test } from 'vitest';
import { SECRET } from '../harness.ts';
import { open } from './opened.ts';

/** Every request, sent or refused, is reported once when it ends. */

const CRYPTO = { dataset: 'crypto', group: 'B', meter: 'credits', cause: undefined };
const SENT = { ...CRYPTO, wasSent: true, isRetry: false };
const FAILED = { units: 0, bytes: 0 };

test('an answer is reported with its units, its size and how long it took', async () => {
  const { ask, ends, clocks, client, begin } = await open({ latencyMs: 20 });
  const answer = ask('crypto');
  while (ends.length === 0) {
    clocks.monotonic += 1;
    await new Promise(setImmediate);
  }
  await answer;
  const [end] = ends;
  expect(end).toMatchObject({ ...SENT, result: 'ok', units: 1 });
  expect(end?.bytes).toBeGreaterThan(1000);
  expect(end?.durationMs).toBeGreaterThan(0);
  await client.health(begin());
  expect(ends).toHaveLength(2);
  expect(ends[1]).toMatchObject({ dataset: 'health', group: 'A', meter: undefined, units: 0 });
});

test('each try is reported separately, and the second one as a retry', async () => {
  const { ask, ends, sandbox } = await open();
  sandbox.fault({ kind: 'status', status: 503, body: SECRET, times: 1 });
  expect(await ask('crypto')).toBe('ok');
  expect(ends).toMatchObject([
    { ...SENT, result: 'UPSTREAM_UNAVAILABLE', units: 0 },
    { ...SENT, result: 'ok', isRetry: true, units: 1 },
  ]);
});

test.each([
  ['no answer', { kind: 'hang' }, { result: 'UPSTREAM_TIMEOUT', units: 0 }],
  ['a paid answer that breaks off', { kind: 'reset-mid-body' }, { units: 1, cause: 'ECONNRESET' }],
  ['a paid answer that cannot be read', { kind: 'not-json' }, { units: 1 }],
  ['a refusal', { kind: 'status', status: 401 }, { result: 'UPSTREAM_AUTHENTICATION', units: 0 }],
] as const)('%s is reported once for each try', async (_what, fault, expected) => {
  // On a busy machine it may take long until a request has left.
  const { ask, ends, sandbox } = await open(fault.kind === 'hang' ? { timeoutMs: 1500 } : {});
  sandbox.fault(fault);
  await ask('crypto');
  expect(ends).toHaveLength(sandbox.requests().length);
  expect(ends[0]).toMatchObject({ ...SENT, ...expected });
});

test('a request that nobody waits for any more is reported as not sent, and as no failure', async () => {
  const { ask, ends, begin, sandbox } = await open();
  expect(await ask('crypto', { ...begin(1000), isAbandoned: () => true })).not.toBe('ok');
  expect(ends).toMatchObject([{ ...CRYPTO, wasSent: false, result: 'ok', units: 0 }]);
  expect(sandbox.requests()).toEqual([]);
});

test('a request that is refused before it leaves is reported as not sent', async () => {
  const { ask, ends, begin, sandbox } = await open({ credits: 2, maxRequests: 1 });
  const operation = begin();
  for (let i = 0; i < 2; i += 1) await ask('crypto', operation);
  for (let i = 0; i < 2; i += 1) await ask('crypto');
  sandbox.fault({ kind: 'status', status: 503 });
  for (let i = 0; i < 6; i += 1) await ask('rates');
  const unsent = ends.filter(({ wasSent }) => !wasSent);
  expect(unsent.map(({ dataset, result }) => `${dataset} ${result}`)).toEqual([
    'crypto UPSTREAM_BUDGET_EXCEEDED',
    'crypto INSUFFICIENT_CREDITS',
    'fx UPSTREAM_UNAVAILABLE',
  ]);
  for (const end of unsent) expect(end).toMatchObject({ ...FAILED, durationMs: 0 });
});

test.each(['http://127.0.0.1:1', 'https://127.0.0.1:1'])(
  'the cause of a failed connection to %s is reported by its code alone',
  async (baseUrl) => {
    const { ask, ends } = await open({ groupA: { baseUrl } });
    expect(await ask('rates')).toBe('UPSTREAM_UNAVAILABLE');
    expect(ends.map(({ cause }) => cause)).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
    expect(JSON.stringify(ends)).not.toContain('127.0.0.1');
  },
);

test('an upstream that does not speak TLS is reported with a cause that names no host', async () => {
  const plain = await open();
  const { port } = new URL(plain.sandbox.groupA.url);
  const baseUrl = `https://localhost:${port}`;
  const { ask, ends } = await open({ groupA: { baseUrl } });
  expect(await ask('rates')).toBe('UPSTREAM_UNAVAILABLE');
  expect(ends[0]?.cause).toMatch(/^[A-Z0-9_]+$/);
});
