import { expect, test } from 'vitest';
import { openKeys } from './clients.ts';

test('the log says that requests were refused, why, and whose they were, once a minute', async () => {
  const { bench, headersOf } = await openKeys([{ name: 'app', operationsPerMinute: 2 }]);
  const body = JSON.stringify({ query: '{ __typename }' });
  const send = async (headers = {}) => {
    const all = { 'content-type': 'application/json', ...headers };
    return (await fetch(bench.url, { method: 'POST', headers: all, body })).status;
  };
  const lines = () =>
    bench
      .log()
      .split('\n')
      .filter((line) => line.includes('requests were refused'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .map(({ reason, client, count }) => [reason, client, count]);
  for (const status of [401, 401, 401]) expect(await send()).toBe(status);
  for (const status of [200, 200, 429, 429]) expect(await send(headersOf('app'))).toBe(status);
  expect(lines()).toEqual([
    ['no valid key', undefined, undefined],
    ['more than operationsPerMinute', 'app', undefined],
  ]);
  bench.clock.advance(61_000);
  await send();
  expect(lines().at(-1)).toEqual(['no valid key', undefined, 3]);
});
