import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { temporaryFolder } from '../harness.ts';
import { openAdmin, sum } from './admin.ts';

/** A program may embed several gateways in one process, one after the other or at the same time. */

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const QUERY = '{ fxRate(pair: "USDTRY") { pair } }';

/** Returns a reference to the clock of a closed gateway: whatever holds the gateway holds its clock. */
async function openAndClose(): Promise<WeakRef<() => number>> {
  const now = () => Date.now();
  const env = { SANDBOX: '1', DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent' };
  const app = await createApp(readConfig(env), { now });
  const url = `http://localhost/graphql?query=${encodeURIComponent(QUERY)}`;
  expect((await app.fetch(new Request(url))).status).toBe(200);
  await app.close();
  return new WeakRef(now);
}

async function countAlive(refs: readonly WeakRef<object>[]): Promise<number> {
  // A WeakRef holds its target until the end of the task.
  await new Promise(setImmediate);
  collectGarbage();
  return refs.filter((ref) => ref.deref() !== undefined).length;
}

test('nothing of a closed gateway stays in memory', async () => {
  const refs: WeakRef<object>[] = [];
  for (let i = 0; i < 5; i += 1) refs.push(await openAndClose());
  await expect.poll(() => countAlive(refs)).toBe(0);
});

test('each reports the metrics of the process, and of its own operations', async () => {
  const one = await openAdmin();
  const other = await openAdmin();
  await one.ask(QUERY);
  const [busy, idle] = [await one.metrics(), await other.metrics()];
  expect([...idle.keys()]).toEqual([...busy.keys()]);
  const operations = [busy, idle].map((all) => sum(all, 'marketgraph_operations_total'));
  expect(operations).toEqual([1, 0]);
  for (const all of [busy, idle]) {
    expect(sum(all, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(sum(all, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(0);
  }
});
