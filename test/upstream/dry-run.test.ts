import { expect, test } from 'vitest';
import { startEstimate } from '../../src/usage/estimate.ts';
import { startOperation } from '../../src/usage/operation.ts';
import { ENDPOINTS, open } from './opened.ts';

test('a dry run has no effects: no target is fixed, no turn taken, no unit reserved, nothing reported', async () => {
  const { client, ledger, ends, ask, sandbox } = await open({ groupB: { requestsPerSecond: 1 } });
  const before = ledger.states();
  const { endpoint } = ENDPOINTS.crypto;
  const fixed = () => {
    throw new Error('a dry run has no target');
  };
  for (let i = 0; i < 20; i += 1) {
    const dry = startOperation({ maxRequests: 20, deadline: 0, estimate: startEstimate() });
    await expect(client.fetch(endpoint, fixed, dry)).rejects.toMatchObject({
      extensions: { code: 'DRY_RUN' },
    });
  }
  expect(ledger.states()).toEqual(before);
  expect([ends, sandbox.requests()]).toEqual([[], []]);
  expect(await ask('crypto')).toBe('ok');
});
