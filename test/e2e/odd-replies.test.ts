import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Replies whose status arrives, but not all of their body. */

const LEGISLATION = '/legislation/changes';
const CRYPTO = '{ cryptoAsset(symbol: "BTC") { price } }';
const changesOf = (search: string) =>
  `{ legislationChanges(filter: { search: "${search}", start: "2026-11-01" }) { totalCount } }`;

/** In the end an answer must arrive within that time: on a busy machine it takes longer than usual. */
const SHORT_TIMEOUT = { UPSTREAM_TIMEOUT_MS: '1000' };

test('a reply that is too large is requested once, and paid for once', async () => {
  // Making so much text takes a slow machine seconds.
  const { ask, sandbox } = await open({ env: { UPSTREAM_TIMEOUT_MS: '60000' } });
  const rewrite = (body: unknown) => Object.assign({}, body, { pad: 'x'.repeat(65 * 1024 * 1024) });
  sandbox.fault({ kind: 'rewrite', path: LEGISLATION, rewrite });
  const { errors, extensions } = await ask(changesOf('vergi'));
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(extensions.usage.credits.used).toBe(1);
  expect(sandbox.requests()).toHaveLength(1);
});

test('replies that break off do not stop requests for other datasets of their group', async () => {
  const { ask, get, sandbox } = await open();
  sandbox.fault({ kind: 'reset-mid-body', path: LEGISLATION });
  for (const search of ['a', 'b', 'c']) {
    const { errors } = await ask(changesOf(search));
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  }
  expect(sandbox.requests()).toHaveLength(6);
  expect(await get(CRYPTO)).toMatchObject({ cryptoAsset: {} });
});

test('replies still arriving at the timeout do not stop requests for other datasets of their group', async () => {
  const { ask, get, sandbox } = await open({ env: SHORT_TIMEOUT });
  sandbox.set({ bytesPerSecond: 1000 });
  for (const search of ['a', 'b', 'c']) {
    const { errors } = await ask(changesOf(search));
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  }
  expect(sandbox.requests()).toHaveLength(6);
  sandbox.set({ bytesPerSecond: null });
  expect(await get(CRYPTO)).toMatchObject({ cryptoAsset: {} });
});

test('a long reply that did not arrive in time is not requested again in the same size', async () => {
  const { ask, sandbox } = await open({ env: SHORT_TIMEOUT, bytesPerSecond: 200_000 });
  const { errors, extensions } = await ask('{ legislationChanges { totalCount } }');
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(sandbox.requests()).toHaveLength(1);
  expect(extensions.usage.upstream.requests).toBe(1);
});

test('if no reply arrives in time, the group gets no more requests after ten of them', async () => {
  const { ask, sandbox } = await open({
    env: { UPSTREAM_TIMEOUT_MS: '400' },
    bytesPerSecond: 1000,
  });
  const codes: unknown[] = [];
  for (const search of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    codes.push((await ask(changesOf(search))).errors[0]?.extensions['code']);
  expect(codes).toEqual([
    ...Array(5).fill('UPSTREAM_TIMEOUT'),
    ...Array(2).fill('UPSTREAM_UNAVAILABLE'),
  ]);
  expect(sandbox.requests()).toHaveLength(10);
});

test('replies that stall are an outage of their group: after five of them it gets no more requests', async () => {
  const env = { ...SHORT_TIMEOUT, CREDITS_MONTHLY_LIMIT: '100' };
  const { ask, get, sandbox, clock } = await open({ env, bytesPerSecond: 1 });
  const codes: unknown[] = [];
  for (const search of ['a', 'b', 'c', 'd', 'e'])
    codes.push((await ask(changesOf(search))).errors[0]?.extensions['code']);
  const [late, down] = ['UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'];
  expect(codes).toEqual([late, late, late, down, down]);
  expect(sandbox.requests()).toHaveLength(5);
  sandbox.set({ bytesPerSecond: null });
  clock.advance(10_000);
  expect(await get(CRYPTO)).toMatchObject({ cryptoAsset: {} });
});

test('a reply that nothing matches does not count as one if it breaks off: it may be of a proxy', async () => {
  const { ask, sandbox } = await open();
  sandbox.fault({ kind: 'reset-mid-body', path: LEGISLATION });
  const { errors, extensions } = await ask(changesOf('no such words'));
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(extensions.usage.credits.used).toBe(0);
});
