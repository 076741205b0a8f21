import { expect, test } from 'vitest';
import { openKeys, type Keys } from './clients.ts';

const warnings = (bench: Keys['bench'], message: string) =>
  bench
    .log()
    .split('\n')
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ level }) => level === 40);

test('the log says that requests were refused, why, and whose they were, once a minute', async () => {
  const { bench, headersOf } = await openKeys([{ name: 'app', operationsPerMinute: 2 }]);
  const body = JSON.stringify({ query: '{ __typename }' });
  const send = async (headers = {}) => {
    const all = { 'content-type': 'application/json', ...headers };
    return (await fetch(bench.url, { method: 'POST', headers: all, body })).status;
  };
  const lines = () =>
    warnings(bench, 'requests were refused').map((line) => [line.reason, line.client, line.count]);
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

test('the log says whose budget is used up, once a minute per client', async () => {
  const budgets = [{ meter: 'FX', window: 'DAY', limit: 0 }];
  const names = ['app', 'web'];
  const { bench, ask } = await openKeys(names.map((name) => ({ name, budgets })));
  for (const pair of ['USDTRY', 'EURTRY'])
    for (const name of names) await ask(name, `{ fxRate(pair: "${pair}") { buying } }`);
  const lines = warnings(bench, 'an upstream request was not sent');
  expect(lines.map(({ code, meter, client }) => [code, meter, client])).toEqual(
    names.map((name) => ['CLIENT_BUDGET_EXCEEDED', 'fx', name]),
  );
});
