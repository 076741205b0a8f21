import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Values } from '../../src/observe/metrics.ts';
import type { Link } from '../../src/workers/link.ts';
import { createOverview, type UpWorker } from '../../src/workers/overview.ts';
import { sum } from '../observe/admin.ts';
import { readExposition } from '../observe/exposition.ts';
import { linkPair } from './links.ts';

/** The metrics of all workers, while some of them end. */

const COUNTER = 'asked_total';

const METRIC = { name: COUNTER, help: 'Asked.', type: 'counter', aggregator: 'sum' };
const counted = (value: number) =>
  [{ ...METRIC, values: [{ value, labels: {} }] }] as unknown as Values;

/** Workers that tell what the test says. */
function openTeam() {
  const serving: UpWorker[] = [];
  const overview = createOverview(
    readConfig({}),
    () => serving,
    () => false,
  );
  /** One that is up; `metrics`: what it tells when it is asked. */
  function begin(worker: number, metrics: () => unknown): Link {
    const [link, other] = linkPair();
    other.on('metrics', metrics);
    serving.push({ worker, link });
    return link;
  }
  function end(worker: number): void {
    serving.splice(
      serving.findIndex((one) => one.worker === worker),
      1,
    );
    overview.noteEnded(worker);
  }
  const total = async () => sum(readExposition(await overview.metrics.text()), COUNTER);
  return { begin, end, total };
}

test('what one has told that ends while all are asked is not counted twice', async () => {
  const { begin, end, total } = openTeam();
  let first: unknown = counted(1);
  let second = counted(5);
  begin(1, () => first);
  begin(2, () => second);
  expect(await total()).toBe(6);
  const held = Promise.withResolvers<Values>();
  first = held.promise;
  second = counted(7);
  const meanwhile = total();
  await setImmediate();
  end(2);
  begin(2, () => counted(0));
  held.resolve(counted(1));
  // As far as was told before.
  expect(await meanwhile).toBe(6);
  expect(await total()).toBe(6);
});

test('of several that end at once none is forgotten', async () => {
  const { begin, end, total } = openTeam();
  for (const worker of [1, 2, 3]) begin(worker, () => counted(worker));
  expect(await total()).toBe(6);
  for (const worker of [1, 2, 3]) end(worker);
  expect(await total()).toBe(6);
  await setImmediate();
  expect(await total()).toBe(6);
});
