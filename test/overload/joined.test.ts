import { expect, test } from 'vitest';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { type Bench, open } from '../harness.ts';

/** Identical requests that wait for one answer: many are served by it, but not without limit. */

const cold = (i: number) => `{ fxRate(pair: "${PAIRS[i]}") { history { change } } }`;

function hold({ sandbox }: Bench) {
  const before = sandbox.requests().length;
  const release = sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
  return { release, sent: () => sandbox.requests().length - before };
}

/** Sends the same request several times at once; `left` holds those that have not been answered. */
function crowd({ send }: Bench, query: string, count: number) {
  const left = new Set<AbortController>();
  const statuses: number[] = [];
  const all = Array.from({ length: count }, async () => {
    const leaving = new AbortController();
    left.add(leaving);
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { signal } = leaving;
    const init = { method: 'POST', headers, body: JSON.stringify({ query }), signal };
    const status = await send(init).then(
      (reply) => reply.status,
      () => undefined,
    );
    left.delete(leaving);
    if (status !== undefined) statuses.push(status);
  });
  return { left, statuses, over: Promise.all(all) };
}

test('a crowd of hundreds with the same question is answered by one upstream request', async () => {
  const bench = await open();
  await bench.get('{ fxRates { totalCount } }');
  const { release, sent } = hold(bench);
  const { statuses, over } = crowd(bench, cold(0), 400);
  await expect.poll(sent).toBe(1);
  release();
  await over;
  expect([statuses, sent()]).toEqual([Array.from({ length: 400 }, () => 200), 1]);
});

test('no more than eight a place wait; those that leave or are answered make room', async () => {
  const bench = await open({ env: { MAX_OPERATIONS: '1' } });
  await bench.get('{ fxRates { totalCount } }');
  for (const [round, leaving] of [1, 0, 0].entries()) {
    const { release, sent } = hold(bench);
    // One is executed, and four wait for its answer: half of eight, since all come from one address.
    const { left, statuses, over } = crowd(bench, cold(round), 10);
    await expect.poll(() => statuses).toEqual(Array.from({ length: 5 }, () => 503));
    await expect.poll(sent).toBe(1);
    for (const one of [...left].slice(5 - leaving)) one.abort();
    release();
    await over;
    expect(statuses.slice(5)).toEqual(Array.from({ length: 5 - leaving }, () => 200));
    expect(sent()).toBe(1);
  }
});
