import { expect, test } from 'vitest';
import { open } from '../harness.ts';
import { estimateOf } from './estimate.ts';

/** What was cut short once: the upstream is not asked in vain for all of it again. */

const DAY = '2026-11-10';

const changes = (filter: string) => `{ legislationChanges(filter: { ${filter} }) { totalCount } }`;

/** Leaves one record in every answer to a question that names no type and whose range, if any, includes the day. */
function cutAround(body: unknown, path: string): unknown {
  const { searchParams } = new URL(path, 'http://upstream');
  const { start = '', end = '9', type } = Object.fromEntries(searchParams);
  const { data, ...rest } = Object(body);
  return type || start > DAY || end < DAY ? body : { ...rest, total: 5000, data: data.slice(0, 1) };
}

async function openCut() {
  const bench = await open({ env: { UPSTREAM_BYTES_PER_SECOND: '1000' } });
  bench.sandbox.fault({ kind: 'rewrite', path: '/legislation', rewrite: cutAround });
  return bench;
}

test('after the time to live, an answer without a start that was cut short is narrowed by its type at once', async () => {
  const { cost, clock } = await openCut();
  expect(await cost(changes('types: [LAW]'))).toBe(2);
  clock.advance(900_000);
  expect(await cost(changes('types: [LAW]'))).toBe(1);
});

test('a range that contains a cut one is narrowed by its type at once', async () => {
  const { cost } = await openCut();
  await cost(changes(`start: "${DAY}", end: "${DAY}"`));
  expect(await cost(changes(`start: "2026-11-09", end: "${DAY}", types: [LAW]`))).toBe(1);
});

test('a whole answer about other days does not mean that the cut ones are whole now', async () => {
  const { cost } = await openCut();
  await cost(changes(`start: "${DAY}", end: "${DAY}"`));
  expect(await cost(changes('end: "2026-11-05"'))).toBe(1);
  const both = ['start: "2026-11-09", end: "2026-11-10"', 'start: "2026-11-10", end: "2026-11-11"'];
  const [before, after] = both.map((range) => changes(range).slice(1, -1));
  // A request for both ranges would be cut short, too.
  expect(await cost(`{ a: ${before} b: ${after} }`)).toBe(2);
});

test('once an answer without a start was cut short, a dry run allows for another one', async () => {
  const bench = await openCut();
  await bench.cost(changes('end: "2026-11-20"'));
  const { least, most } = await estimateOf(bench, changes('types: [LAW]'));
  expect([least.credits, most.credits]).toEqual([1, 2]);
});
