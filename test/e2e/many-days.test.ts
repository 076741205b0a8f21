import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Days of one dataset that together take more memory than the cache has. */

const changes = (start: string, end: string) =>
  `{ legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount } }`;

/** A cache of 600 kB, without answers stored for other processes. */
const openSmall = () =>
  open({ env: { CACHE_MAX_BYTES: '600000', KEPT_MAX_BYTES: '0', WIDEN_MAX_BYTES: '0' } });

test('a question too long for the cache leaves the days of other questions there', async () => {
  const { cost, get } = await openSmall();
  expect(await cost(changes('2026-11-09', '2026-11-12'))).toBe(1);
  await get(changes('2026-01-01', '2026-06-30'));
  expect(await cost(changes('2026-11-10', '2026-11-12'))).toBe(0);
  await get(changes('2026-10-01', '2026-11-12'));
  expect(await cost(changes('2026-11-10', '2026-11-11'))).toBe(0);
});

test('if days take too much memory, those that came last are still there', async () => {
  const { cost, clock } = await openSmall();
  expect(await cost(changes('2026-10-01', '2026-10-10'))).toBe(1);
  let before = '10';
  for (const month of ['09', '08', '07', '06', '05', '04', '03', '02']) {
    clock.advance(1000);
    expect(await cost(changes(`2026-${month}-01`, `2026-${month}-10`))).toBe(1);
    expect(await cost(changes(`2026-${before}-02`, `2026-${before}-10`))).toBe(0);
    before = month;
  }
  expect(await cost(changes('2026-10-03', '2026-10-10'))).toBe(1);
});
