import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** What belongs to a known series needs no fresh catalog. */

const HOUR_MS = 3_600_000;
const query = (fields: string) => `{ macroSeries(code: "TP.DK.USD.A") { ${fields} } }`;
const OBSERVATIONS =
  'code observations(start: "2026-10-01", end: "2026-10-31") { points { value } }';

test('the observations of a known series cost no catalog, but its name does', async () => {
  const { cost, clock } = await open({
    env: { TTL_MACRO_CATALOG: '3600', TTL_SETTLED_DAYS: String(24 * 3600) },
  });
  expect(await cost(query(OBSERVATIONS))).toBe(2);
  clock.advance(2 * HOUR_MS);
  expect(await cost(query(OBSERVATIONS))).toBe(0);
  expect(await cost(query(`name ${OBSERVATIONS}`))).toBe(1);
  clock.advance(25 * HOUR_MS);
  expect(await cost(query(OBSERVATIONS))).toBe(2);
});

test('a series that the last catalog lacks is looked for in the next one', async () => {
  const { get, clock, sandbox } = await open({ env: { TTL_MACRO_CATALOG: '3600' } });
  const unknown = query(OBSERVATIONS).replace('USD', 'NONE');
  for (let i = 1; i <= 2; i += 1) {
    expect(await get(unknown)).toEqual({ macroSeries: null });
    expect(sandbox.requests().filter(({ path }) => path.includes('catalog'))).toHaveLength(i);
    clock.advance(2 * HOUR_MS);
  }
});
