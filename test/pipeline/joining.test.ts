import { expect, test } from 'vitest';
import { createJoining } from '../../src/pipeline/joining.ts';
import type { Reply } from '../../src/pipeline/request.ts';
import { requestKey } from '../../src/pipeline/request-key.ts';
import { open } from '../harness.ts';

/** Equal concurrent requests are executed once, and each has an account of its own. */

const RATES = '{ fxRates(first: 2) { nodes { pair buying } } }';

test('of many equal requests one pays, the others join, and all get the same answer', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault({ kind: 'delay', delayMs: 500 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(RATES)));
  expect(sandbox.requests()).toHaveLength(1);
  const [first, ...others] = answers;
  for (const { data } of others) expect(data).toEqual(first?.data);
  const upstream = answers.map(({ extensions }) => extensions?.usage.upstream);
  expect(upstream.filter((one) => one?.requests === 1)).toHaveLength(1);
  expect(upstream.filter((one) => one?.coalesced === 1 && one.cacheHits === 0)).toHaveLength(19);
});

test('equal requests join even if the cache is too full to keep a new answer', async () => {
  const { get, ask, sandbox } = await open();
  const all = 'cryptoAssets(first: 500) { nodes { id symbol name price marketCap volume24h } }';
  const bytes = JSON.stringify(await get(`{ ${all} }`)).length;
  for (let i = 0; i * bytes < 9e6; i += 1) await get(`{ a${i}: ${all} }`);
  sandbox.fault({ kind: 'delay', delayMs: 500 });
  const answers = await Promise.all([ask(RATES), ask(RATES)]);
  const joined = answers.filter(({ extensions }) => extensions?.usage.upstream.coalesced === 1);
  expect(joined).toHaveLength(1);
});

test('if the answer cannot be kept, each is executed, and gets the failure', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault({ group: 'A', kind: 'status', status: 503 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(RATES)));
  for (const { errors } of answers)
    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
  expect(sandbox.requests().length).toBeLessThanOrEqual(2);
});

test('a dry run joins no other request', async () => {
  const { send, sandbox } = await open();
  const body = JSON.stringify({ query: RATES });
  const headers = { 'content-type': 'application/json' };
  const post = (more: Record<string, string> = {}) =>
    send({ method: 'POST', body, headers: { ...headers, ...more } });
  const [executed, dry] = await Promise.all([post(), post({ 'x-usage-dry-run': '1' })]);
  expect([executed.extensions?.usage.estimate, executed.extensions?.usage.fx.used]).toEqual([
    undefined,
    1,
  ]);
  expect([dry.extensions?.usage.estimate !== undefined, dry.data]).toEqual([true, null]);
  expect(sandbox.requests()).toHaveLength(1);
});

test('a request joins only operations of its own party, and none that is over', async () => {
  const joining = createJoining();
  const request = { key: requestKey(RATES), party: 'app' };
  const begin = () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    joining.note(request, undefined, promise);
    return async () => {
      resolve({ kind: 'object', result: {}, freshForMs: 0 });
      await promise;
    };
  };
  expect(joining.find(request)).toBeUndefined();
  for (let i = 0; i < 2; i += 1) {
    const end = begin();
    expect(joining.find(request)).toBeDefined();
    expect(joining.find({ ...request, party: 'web' })).toBeUndefined();
    await end();
    expect(joining.find(request)).toBeUndefined();
  }
});
