import { expect, test } from 'vitest';
import { open } from '../harness.ts';

/** Ranges with one default end: an error about such a range names that end as a default, since no client sent it. */

test.each([
  [
    'fxRate(pair: "USDTRY") { history(end: "2026-01-01") { change } }',
    'end: 2026-01-01 is before start, which defaults to 2026-11-13; pass a start as well',
  ],
  [
    'fxRate(pair: "USDTRY") { history(start: "2027-01-01") { change } }',
    'start: 2027-01-01 is after end, which defaults to 2026-11-20; pass an end as well',
  ],
  [
    'macroSeries(code: "TP.DK.USD.A") { observations(end: "2026-01-01") { change } }',
    'end: 2026-01-01 is before start, which defaults to 2026-10-21; pass a start as well',
  ],
  [
    'calendarEvents(filter: { start: "2027-01-01" }) { totalCount }',
    'filter.start: 2027-01-01 is after end, which defaults to 2026-11-27; pass an end as well',
  ],
  [
    'calendarEvents(filter: { end: "2026-11-01" }) { totalCount }',
    'filter.end: 2026-11-01 is before start, which defaults to 2026-11-20; pass a start as well',
  ],
  [
    'legislationChanges(filter: { start: "2026-11-20", end: "2026-11-19" }) { totalCount }',
    'filter.start: 2026-11-20 is after end, 2026-11-19',
  ],
])('%s', async (field, message) => {
  const { ask, sandbox } = await open();
  const { errors } = await ask(`{ ${field} }`);
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(sandbox.requests()).toEqual([]);
});
