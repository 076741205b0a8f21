import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/sandbox.ts';
import { open } from './harness.ts';

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    () => 'failed',
  );

describe('a fault', () => {
  test('of kind status replaces the answer and costs nothing', async () => {
    const { a, sandbox } = await open();
    sandbox.fault({ kind: 'status', status: 503, body: { oops: 1 }, headers: { 'x-a': 'b' } });
    const answer = await a('/v1/fx/rates');
    expect([answer.status, answer.body]).toEqual([503, { oops: 1 }]);
    expect(answer.headers.get('x-a')).toBe('b');
    expect(sandbox.spent().fx).toBe(0);
    expect(sandbox.requests()).toMatchObject([{ path: '/v1/fx/rates', status: 503, cost: 0 }]);
  });

  test('of kind status may have an empty or a raw body', async () => {
    const { sandbox } = await open();
    const clear = sandbox.fault({ kind: 'status', status: 502 });
    expect(await (await fetch(`${sandbox.groupA.url}/health`)).text()).toBe('');
    clear();
    sandbox.fault({ kind: 'status', status: 502, body: 'raw {' });
    expect(await (await fetch(`${sandbox.groupA.url}/health`)).text()).toBe('raw {');
  });

  test('of kind hang never answers, until the client leaves', async () => {
    const { sandbox } = await open();
    sandbox.fault({ kind: 'hang' });
    const client = new AbortController();
    const { signal } = client;
    const outcome = outcomeOf(fetch(`${sandbox.groupA.url}/health`, { signal }));
    await expect.poll(() => sandbox.requests()).toHaveLength(1);
    client.abort();
    expect(await outcome).toBe('failed');
    expect(sandbox.requests()).toMatchObject([{ status: 0, cost: 0 }]);
  });

  test('of kind reset cuts the connection unanswered and uncharged', async () => {
    const { a, sandbox } = await open();
    sandbox.fault({ kind: 'reset', times: 1 });
    expect(await outcomeOf(a('/v1/fx/rates'))).toBe('failed');
    expect(sandbox.requests()[0]).toMatchObject({ status: 0, cost: 0 });
    expect((await a('/v1/fx/rates')).status).toBe(200);
  });

  test.each(['reset-mid-body', 'truncated-json', 'not-json'] as const)(
    'of kind %s spoils an answer that is charged all the same',
    async (kind) => {
      const { b, sandbox } = await open();
      sandbox.fault({ kind });
      expect(await outcomeOf(b('/crypto/prices'))).toBe('failed');
      expect(sandbox.spent().credits).toBe(1);
      expect(sandbox.requests()).toMatchObject([{ status: 200, cost: 1 }]);
    },
  );

  test('of kind delay answers late, and is not charged before', async () => {
    const { b, sandbox } = await open();
    sandbox.fault({ kind: 'delay', delayMs: 30, times: 1 });
    expect((await b('/crypto/prices')).status).toBe(200);
    sandbox.fault({ kind: 'delay', delayMs: 3_600_000 });
    const client = new AbortController();
    const headers = { authorization: `apikey ${sandbox.groupB.key}` };
    const url = `${sandbox.groupB.url}/crypto/prices`;
    const outcome = outcomeOf(fetch(url, { headers, signal: client.signal }));
    await expect.poll(() => sandbox.requests()).toHaveLength(2);
    client.abort();
    expect(await outcome).toBe('failed');
    expect(sandbox.spent().credits).toBe(1);
  });

  test('of kind slow sends the body bit by bit', async () => {
    const { sandbox } = await open();
    sandbox.fault({ kind: 'slow', bytesPerSecond: 1 });
    const headers = { authorization: `apikey ${sandbox.groupB.key}` };
    const { status, body } = await fetch(`${sandbox.groupB.url}/crypto/prices`, { headers });
    expect(status).toBe(200);
    const reader = body!.getReader();
    expect((await reader.read()).value).toHaveLength(1);
    await reader.cancel();
  });

  test('of kind hold answers properly when it is cleared', async () => {
    const { a, b, sandbox } = await open();
    const release = sandbox.fault({ kind: 'hold', group: 'B' });
    const answers = [b('/crypto/prices'), b('/crypto/prices?limit=501')];
    await expect.poll(() => sandbox.requests()).toHaveLength(2);
    expect((await a('/v1/fx/rates')).status).toBe(200);
    expect(sandbox.requests().map(({ status }) => status)).toEqual([0, 0, 200]);
    expect(sandbox.spent().credits).toBe(0);
    release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 422]);
    expect(sandbox.spent().credits).toBe(1);
    expect((await b('/crypto/prices')).status).toBe(200);
  });

  test('of kind rewrite changes the JSON of a success', async () => {
    const { b, sandbox } = await open();
    sandbox.fault({ kind: 'rewrite', rewrite: (_body, path) => ({ path }) });
    expect((await b('/crypto/prices?limit=1')).body).toEqual({ path: '/crypto/prices?limit=1' });
    expect((await b('/crypto/prices?limit=0')).status).toBe(422);
    expect(sandbox.spent().credits).toBe(1);
  });

  test('hits only its group, its path and its number of requests', async () => {
    const { a, b, sandbox } = await open();
    sandbox.fault({ kind: 'status', status: 500, body: {}, group: 'A', path: '/v1/fx', times: 2 });
    const statuses = [
      (await b('/crypto/prices')).status,
      (await a('/v1/macro/catalog')).status,
      (await a('/v1/fx/rates')).status,
      (await a('/v1/fx/rates/EURUSD/history')).status,
      (await a('/v1/fx/rates')).status,
    ];
    expect(statuses).toEqual([200, 200, 500, 500, 200]);
  });

  test('is over when it is cleared', async () => {
    const { a, sandbox } = await open();
    const fault: Fault = { kind: 'status', status: 500, body: {} };
    const clear = sandbox.fault(fault);
    clear();
    expect((await a('/health')).status).toBe(200);
    sandbox.fault(fault);
    sandbox.clearFaults();
    expect((await a('/health')).status).toBe(200);
  });
});
