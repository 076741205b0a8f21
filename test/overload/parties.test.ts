import { expect, test } from 'vitest';
import { PAIRS } from '../../src/sandbox/lists/currencies.ts';
import { openKeys } from '../keys/clients.ts';

/** A client that floods the gateway takes its own places, and leaves others theirs. */

const cold = (i: number) => `{ fxRate(pair: "${PAIRS[i]}") { history { change } } }`;

test('a client takes half of what is free at most', async () => {
  const { bench, ask } = await openKeys([{ name: 'flood' }, { name: 'steady' }], {
    env: { MAX_OPERATIONS: '8' },
  });
  await ask('steady', '{ fxRates { totalCount } }');
  const release = bench.sandbox.fault({ kind: 'hold', path: '/v1/fx/rates/' });
  const statuses: number[] = [];
  const flood = Array.from({ length: 10 }, (_, i) =>
    ask('flood', cold(i)).then(({ status }) => void statuses.push(status)),
  );
  await expect.poll(() => statuses).toEqual(Array.from({ length: 6 }, () => 503));
  const steady = [ask('steady', cold(10)), ask('steady', cold(11))];
  await expect.poll(() => bench.sandbox.requests().length).toBe(7);
  release();
  for (const { status, errors } of await Promise.all(steady))
    expect([status, errors]).toEqual([200, []]);
  await Promise.all(flood);
  expect(statuses.slice(6)).toEqual([200, 200, 200, 200]);
});
