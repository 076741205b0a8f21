import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** The cost of a request is unknown until an answer states it; an answer that finds nothing is free. */

const SEARCHES = 8;
const searches = Array.from(
  { length: SEARCHES },
  (_, i) => `s${i}: legislationChanges(filter: { search: "found nowhere ${i}" }) { totalCount }`,
);

test('after an answer that found nothing, requests no longer wait for one another', async () => {
  const { ask, sandbox } = await open({ env: { CREDITS_MONTHLY_LIMIT: '1000' } });
  const releaseFirst = sandbox.fault({ kind: 'hold', times: 1 });
  const asked = ask(`{ ${searches.join(' ')} }`);
  await expect.poll(() => sandbox.requests()).toHaveLength(1);
  const releaseOthers = sandbox.fault({ kind: 'hold' });
  releaseFirst();
  await expect.poll(() => sandbox.requests()).toHaveLength(SEARCHES);
  releaseOthers();
  expect((await asked).errors).toEqual([]);
});
