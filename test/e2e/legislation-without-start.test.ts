import { expect, test } from 'vitest';
import { type Bench, open } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** The answer to a question without a start brings the latest days, too: while clients ask it, ranges cost nothing more. */

const TTL_SECONDS = 60;
const LATEST = 'latest: legislationChanges(first: 5) { totalCount }';
/** The tests' clock starts on 20 November. */
const range = (start: string, end = '2026-11-20') =>
  `range: legislationChanges(filter: { start: "${start}", end: "${end}" }) { totalCount nodes { recordId } }`;
const RECENT = range('2026-11-10');

async function openBoth(): Promise<Bench> {
  const bench = await open({ env: { TTL_LEGISLATION: String(TTL_SECONDS) } });
  await bench.get(`{ ${LATEST} ${RECENT} }`);
  return bench;
}

const expire = ({ clock }: Bench) => clock.advance((TTL_SECONDS + 1) * 1000);

test('a range beside it, in one operation or before it', async () => {
  const bench = await openBoth();
  expire(bench);
  expect(await bench.cost(`{ ${LATEST} ${RECENT} }`)).toBe(1);
  expire(bench);
  expect(await bench.cost(`{ ${RECENT} }`)).toBe(1);
  expect(await bench.cost(`{ ${LATEST} }`)).toBe(0);
});

test('the records of a range are the same, whichever answer brings them', async () => {
  const bench = await openBoth();
  expire(bench);
  const found = await bench.get(`{ ${LATEST} ${RECENT} }`);
  const other = await bench.another();
  expect(await other.get(`{ ${RECENT} }`)).toEqual({ range: Object(found).range });
});

test('a range that reaches further back is requested as such', async () => {
  const bench = await openBoth();
  expire(bench);
  const before = bench.sandbox.requests().length;
  await bench.get(`{ ${range('2024-01-01')} }`);
  expect(bench.sandbox.requests().slice(before)).toMatchObject([
    { path: expect.stringContaining('start=2024-01-01') },
  ]);
});

test('nobody asks without a start any more: ranges are requested as such', async () => {
  const bench = await openBoth();
  for (let i = 0; i < 3; i += 1) expire(bench);
  const before = bench.sandbox.requests().length;
  await bench.get(`{ ${RECENT} }`);
  expect(bench.sandbox.requests().slice(before)).toMatchObject([
    { path: expect.stringContaining('start=') },
  ]);
});

test('if the answer without a start fails, the range is requested as such', async () => {
  const bench = await openBoth();
  expire(bench);
  bench.sandbox.fault({
    kind: 'status',
    status: 500,
    path: (path: string) => !path.includes('start='),
  });
  const { data, errors } = await bench.ask(`{ ${RECENT} }`);
  expect(errors).toEqual([]);
  expect(data).toMatchObject({ range: { totalCount: expect.any(Number) } });
});

test('a dry run says what is spent, of the whole and of each part', async () => {
  const bench = await openBoth();
  for (const query of [`{ ${LATEST} ${RECENT} }`, `{ ${RECENT} }`]) {
    expire(bench);
    const { least, most } = await estimateOf(bench, query);
    const spent = await bench.cost(query);
    expect(spent).toBe(1);
    expect(least.credits).toBe(1);
    expect(most.credits).toBeGreaterThanOrEqual(spent);
  }
});
