import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Bench, open, temporaryFolder, timeoutFor } from '../harness.ts';
import { CALENDAR, isFiltered, LEGISLATION, openLate, slowDown } from './late.ts';

/** What the upstream has filtered, since all of a range did not come in time, is served once it fails. */

/** For how long the upstream is asked to filter. */
const HOUR_MS = 3_600_000;
/** Answers are stored shortly after they are served. */
const STORED_AFTER_MS = 300;

const DATASETS = [
  ['changes', LEGISLATION],
  ['events', CALENDAR],
] as const;

const questionOf = ({ field, range, filter }: (typeof DATASETS)[number][1]) =>
  `{ ${field(`${range}, ${filter}`).replace('totalCount', 'totalCount provenance { stale }')} }`;

async function answerOf({ ask }: Pick<Bench, 'ask'>, question: string) {
  const { data, errors } = await ask(question);
  expect(errors).toEqual([]);
  const [found] = Object.values(Object(data)) as [{ totalCount: number; provenance: object }];
  return found;
}

test.each(
  DATASETS.flatMap(([name, dataset]) =>
    [503, 402].map((status) => [name, status, dataset] as const),
  ),
)('%s that were filtered more than an hour ago, status %i', async (_name, status, dataset) => {
  const bench = await openLate();
  const before = await answerOf(bench, questionOf(dataset));
  bench.clock.advance(HOUR_MS + 60_000);
  bench.sandbox.clearFaults();
  bench.sandbox.fault({ kind: 'status', status, group: 'B' });
  const after = await answerOf(bench, questionOf(dataset));
  expect(after).toEqual({ ...before, provenance: { stale: true } });
});

test.each(DATASETS)('%s, although only the filtered answer fails', async (_name, dataset) => {
  const bench = await openLate();
  const before = await answerOf(bench, questionOf(dataset));
  bench.clock.advance(HOUR_MS + 60_000);
  bench.sandbox.fault({ kind: 'status', status: 503, path: isFiltered });
  const after = await answerOf(bench, questionOf(dataset));
  expect(after).toEqual({ ...before, provenance: { stale: true } });
});

test.each(DATASETS)('%s that were filtered before a restart', async (_name, dataset) => {
  const env = { DATA_DIR: temporaryFolder(), ...timeoutFor('hang') };
  const bench = await open({ env });
  slowDown(bench);
  const before = await answerOf(bench, questionOf(dataset));
  await setTimeout(STORED_AFTER_MS);
  bench.clock.advance(HOUR_MS);
  const restarted = await bench.another(env);
  bench.sandbox.clearFaults();
  bench.sandbox.fault({ kind: 'status', status: 503 });
  const after = await answerOf(restarted, questionOf(dataset));
  expect(after).toEqual({ ...before, provenance: { stale: true } });
});
