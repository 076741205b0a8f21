import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { estimateOf, spend } from './estimate.ts';

/** A dry run reports what would be refused, also for fields that it does not reach. */

const history = (pair: string) => `fxRate(pair: "${pair}") { history(last: 5) { change } }`;
const TWO = `{ a: ${history('USDTRY')} b: ${history('EURTRY')} }`;
const REFUSED = { extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } };

test('nested fields that exceed the limit on requests are reported, and cost no more than estimated', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '2' } });
  const { most, errors } = await estimateOf(gateway, TWO);
  expect(errors).toMatchObject([REFUSED]);
  const { errors: real } = await gateway.ask(TWO);
  expect(real.map(({ message }) => message)).toEqual(errors.map(({ message }) => message));
  expect(gateway.sandbox.spent().fx).toBe(most.fx);
});

test('they are reported once, by the field, if it is reached', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '1' } });
  await spend(gateway, '{ fxRates { totalCount } }');
  const { errors } = await estimateOf(gateway, TWO);
  expect(errors).toMatchObject([{ ...REFUSED, path: ['b', 'history'] }]);
});

test('nothing is reported of what is within the limit, or perhaps not needed', async () => {
  const gateway = await open({ env: { MAX_UPSTREAM_REQUESTS_PER_OPERATION: '3' } });
  expect((await estimateOf(gateway, TWO)).errors).toEqual([]);
});
