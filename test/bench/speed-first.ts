import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { page } from './speed-operations.ts';
import { startSandbox } from './speed-processes.ts';
import { startGateway } from './speed-servers.ts';

/** Measures how much longer the first page of a process takes than its tenth, if every page asks the upstream. */

const LATENCY_MS = 20;
const PAGES = 10;

/** Medians in milliseconds. */
export interface First {
  first: number;
  second: number;
  tenth: number;
}

export async function measureFirst(rounds: number): Promise<First> {
  const { server: sandbox, access } = await startSandbox(LATENCY_MS);
  const runs: number[][] = [];
  for (let round = 0; round < rounds; round += 1) runs.push(await pagesOfOne(access));
  await sandbox.stop();
  const nth = (index: number) => median(runs.map((times) => times[index]!));
  return { first: nth(0), second: nth(1), tenth: nth(PAGES - 1) };
}

async function pagesOfOne(access: Readonly<Record<string, string>>): Promise<number[]> {
  const gateway = await startGateway(access, { ttl: 0 });
  const times: number[] = [];
  for (let count = 0; count < PAGES; count += 1) {
    const startedAt = performance.now();
    await ask(gateway.url, page);
    times.push(performance.now() - startedAt);
  }
  await gateway.stop();
  return times;
}
