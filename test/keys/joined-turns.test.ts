import { expect, test } from 'vitest';
import { openKeys } from './clients.ts';

/** Whose turn it is at the upstream's rate limit if clients wait for the same request. */

/** Longer than the second for which the next request waits. */
const TURN_MS = 1050;
const search = (text: string) => `legislationChanges(filter: { search: "${text}" }) { totalCount }`;

test('a client that joins one request of a long operation does not wait for the others', async () => {
  const env = { GROUP_B_REQUESTS_PER_SECOND: '1' };
  const { bench, ask } = await openKeys([{ name: 'batch' }, { name: 'app' }], { env });
  const asked = () => bench.sandbox.requests();
  const fields = Array.from({ length: 6 }, (_, i) => `f${i}: ${search(`text${i}`)}`);
  const all = [ask('batch', `{ ${fields.join(' ')} fxRates { totalCount } }`)];
  await expect.poll(asked).toHaveLength(2);
  // Requests to the other group, which has no limit, show that an operation has begun to wait.
  all.push(
    ask('app', `{ joined: ${search('text5')} fxRate(pair: "USDTRY") { history { mean } } }`),
  );
  await expect.poll(asked).toHaveLength(3);
  all.push(ask('app', `{ own: ${search('own')} fxRate(pair: "EURTRY") { history { mean } } }`));
  await expect.poll(asked).toHaveLength(4);
  for (let i = 5; i <= 10; i += 1) {
    bench.clock.advance(TURN_MS);
    await expect.poll(asked).toHaveLength(i);
  }
  for (const { errors } of await Promise.all(all)) expect(errors).toEqual([]);
  const order = asked().flatMap(({ path }) => /q=(\w+)/.exec(path)?.[1] ?? []);
  expect(order.indexOf('text5')).toBeLessThan(4);
  expect(order.indexOf('own')).toBeLessThan(5);
});
