import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** An upstream that takes requests, and perhaps charges for them, but never answers. */

const RATE = '{ fxRate(pair: "USDTRY") { mid } }';
const env = { UPSTREAM_TIMEOUT_MS: '1000', FX_MONTHLY_LIMIT: '3000' };
/** Those that show that it is silent, and the first probe. */
const UNANSWERED = 6;

test('while Group A is silent, units are at risk only until it is known, and the first reply brings fresh data', async () => {
  // They count as spent, though the sandbox does not charge for them.
  const { ask, cost, sandbox, clock } = await open({ env, unreadUnits: -UNANSWERED });
  const clearFault = sandbox.fault({ kind: 'hang', group: 'A' });
  const codes: unknown[] = [];
  for (let i = 0; i < 7; i += 1, clock.advance(60_000)) {
    const { errors } = await ask(RATE);
    codes.push(errors[0]?.extensions['code']);
  }
  expect(codes.at(-1)).toBe('UPSTREAM_UNAVAILABLE');
  const metered = sandbox.requests().filter(({ path }) => path !== '/health');
  expect(metered).toHaveLength(UNANSWERED);
  clearFault();
  // A health check, and the request.
  expect(await cost(RATE)).toBe(2);
  const { extensions } = await ask(RATE);
  expect(extensions.usage.fx).toMatchObject({ usedThisMonth: UNANSWERED + 1 });
});
