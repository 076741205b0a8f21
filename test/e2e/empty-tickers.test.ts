import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { firstAssets } from '../upstream.ts';

/** Assets requested by ticker of which the upstream has none for a moment, as after a restart. */

const HALF_MINUTE = 31_000;

test.each([
  ['a success', { kind: 'rewrite', rewrite: (body: unknown) => ({ ...Object(body), data: [] }) }],
  ['a 404', { kind: 'status', status: 404, body: {} }],
] as const)('are served, marked stale, until %s without records repeats', async (_name, fault) => {
  const { ask, sandbox, clock } = await open();
  const symbols = firstAssets(sandbox, 3);
  const query = `{ cryptoAssets(filter: { symbols: ${JSON.stringify(symbols)} }) {
    totalCount provenance { stale } } }`;
  const served = async () => Object((await ask(query)).data).cryptoAssets;
  // Until the gateway knows that few assets are wanted, it asks for a list.
  for (let polls = 0; polls < 6; polls += 1) {
    await served();
    clock.advance(HALF_MINUTE);
  }
  expect(sandbox.requests().at(-1)?.path).toContain('symbols=');
  sandbox.fault({ ...fault, path: '/crypto/prices' });
  expect(await served()).toEqual({ totalCount: 3, provenance: { stale: true } });
  clock.advance(2 * HALF_MINUTE);
  expect(await served()).toMatchObject({ totalCount: 0 });
  sandbox.clearFaults();
  clock.advance(2 * HALF_MINUTE);
  expect(await served()).toEqual({ totalCount: 3, provenance: { stale: false } });
});
