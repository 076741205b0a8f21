import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/observe/metrics.ts';
import type { OperationEnd } from '../../src/pipeline/request.ts';
import type { RequestEnd } from '../../src/upstream/request-end.ts';
import { readExposition } from './exposition.ts';

/** The number of metrics is limited, however many names clients invent and however many clients there are. */

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const operationEnd = (name: string, client: string): OperationEnd => ({
  by: 'kept answer',
  type: 'query',
  name,
  client,
  hits: 1,
  joined: 0,
  served: [],
  errors: [],
  startedAt: 0,
  endedAt: 0,
  at: 0,
});

const requestEnd = (client: string): RequestEnd => ({
  dataset: 'crypto',
  group: 'B',
  route: '/crypto/prices',
  meter: 'credits',
  isRetry: false,
  client,
  trace: undefined,
  wasSent: true,
  result: 'ok',
  units: 1,
  implausibleUnits: undefined,
  bytes: 1,
  status: 200,
  sentAt: 0,
  durationMs: 1,
  cause: undefined,
});

async function measure(metrics: ReturnType<typeof createMetrics>) {
  const text = await metrics.text();
  collectGarbage();
  const families = readExposition(text);
  const samples = [...families.values()].flatMap((family) => family.samples);
  const operations = families.get('marketgraph_operations_total')!.samples;
  const units = families.get('marketgraph_units_total')!.samples;
  return { samples: samples.length, heap: process.memoryUsage().heapUsed, operations, units };
}

const total = (samples: readonly { value: number }[]) =>
  samples.reduce((sum, { value }) => sum + value, 0);

test('100,000 names and 100,000 clients: few metrics, nothing is lost, and no memory is kept', async () => {
  const metrics = createMetrics(() => undefined);
  const long = 'n'.repeat(1000);
  const observe = (from: number, to: number) => {
    for (let i = from; i < to; i += 1) {
      metrics.operations.ended(operationEnd(`Name${i}${long}`, `client-${i % 997}`));
      metrics.operations.ended(operationEnd(`Name${i % 3}`, `client-${i}`));
      metrics.observeRequest(requestEnd(`client-${i}`));
    }
  };
  observe(0, 10_000);
  const before = await measure(metrics);
  observe(10_000, 110_000);
  const after = await measure(metrics);
  expect(after.samples).toBe(before.samples);
  expect(after.operations.length).toBeLessThanOrEqual(1201);
  expect(after.units.length).toBeLessThanOrEqual(201);
  expect(total(after.operations)).toBe(220_000);
  expect(total(after.units)).toBe(110_000);
  const longest = Math.max(...after.operations.map(({ labels }) => labels['operation']!.length));
  expect(longest).toBeLessThanOrEqual(100);
  // 200,000 names and clients would take 200 MB.
  expect(after.heap - before.heap).toBeLessThan(5_000_000);
});

test('any label value can be read back', async () => {
  const metrics = createMetrics(() => undefined);
  const odd = 'a"b\\c\nd{e}=, f';
  metrics.observeRequest(requestEnd(odd));
  metrics.operations.ended(operationEnd('Rates', odd));
  const { units, operations } = await measure(metrics);
  expect(units.map(({ labels }) => labels['client'])).toEqual([odd]);
  expect(operations.map(({ labels }) => labels['client'])).toEqual([odd]);
});
