import { describe, expect, test } from 'vitest';
import { change } from '../e2e/change.ts';
import { open } from '../harness.ts';
import type { UpstreamRecord } from '../upstream.ts';

/** The spec does not say in which order values come: series are in ascending order of day. */

const FIELDS = '{ points { date value } latest { date } change }';
const QUERY = `{ fxRate(pair: "USDTRY") {
  range: history(start: "2026-11-02", end: "2026-11-12") ${FIELDS} last: history(last: 3) ${FIELDS} } }`;

describe.each([
  ['descending', (all: UpstreamRecord[]) => all.toReversed()],
  ['mixed', (all: UpstreamRecord[]) => [...all.slice(-3), ...all.slice(0, -3).toReversed()]],
])('%s', (_order, reorder) => {
  test('values are sorted, at no further cost', async () => {
    const usual = await open();
    const other = await open();
    change(other, '/v1/fx/rates/USDTRY/history', reorder);
    expect(await other.get(QUERY)).toEqual(await usual.get(QUERY));
    expect(other.sandbox.spent()).toEqual(usual.sandbox.spent());
  });
});
