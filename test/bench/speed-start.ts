import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { small } from './speed-operations.ts';
import { BUNDLE, SOURCES, startGateway, type Variables } from './speed-servers.ts';

/** Measures how long it takes from the start of the process to its first answer. */

export interface Starts {
  bundle: number;
  sources: number;
}

async function startOnce(access: Variables, script: string): Promise<number> {
  const startedAt = performance.now();
  const gateway = await startGateway(access, { script });
  await ask(gateway.url, small);
  const ms = performance.now() - startedAt;
  await gateway.stop();
  return ms;
}

/** Medians; the first start of each, which fills Node's compile cache, does not count. */
export async function measureStarts(access: Variables, rounds: number): Promise<Starts> {
  const times = { bundle: [] as number[], sources: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const bundle = await startOnce(access, BUNDLE);
    const sources = await startOnce(access, SOURCES);
    if (round === 0) continue;
    times.bundle.push(bundle);
    times.sources.push(sources);
  }
  return { bundle: median(times.bundle), sources: median(times.sources) };
}
