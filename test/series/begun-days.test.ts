import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** A day that has begun is asked for, although an answer from the day before has covered it already, as a day ahead. */

const days = '{ points { date } provenance { stale } }';
const rate = (range: string) => `fxRate(pair: "USDTRY") { history(${range}) ${days} }`;
const series = (range: string) =>
  `macroSeries(code: "TP.DK.USD.A") { observations(${range}) ${days} }`;
const changes = (range: string) =>
  `legislationChanges(filter: { ${range} }) { nodes { publishedAt } provenance { stale } }`;

test.each([
  ['rates', rate, 'last: 5'],
  ['observations', series, 'last: 5'],
  ['changes', changes, 'start: "2026-11-23", end: "2026-11-24"'],
])('%s of a day that has begun are requested although it was asked for before', async (...row) => {
  const [, field, recent] = row;
  const { clock, get } = await open();
  clock.set('2026-11-23T23:59:50+03:00');
  const before = await get(`{ ${field('start: "2026-11-10", end: "2026-12-31"')} }`);
  expect(JSON.stringify(before)).not.toContain('2026-11-24');
  clock.set('2026-11-24T00:00:10+03:00');
  const after = JSON.stringify(await get(`{ ${field(recent)} }`));
  expect(after).toContain('2026-11-24');
  expect(after).toContain('"stale":false');
});
