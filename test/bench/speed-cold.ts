import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { createDirect } from './speed-direct.ts';
import { page } from './speed-operations.ts';
import { start, startSandbox } from './speed-processes.ts';
import { startGateway, startPeer } from './speed-servers.ts';

/** How long a page takes where nothing is cached: one client, an upstream with latency. */

const LATENCY_MS = 20;
/** Pages before the first that counts, so that every server's code has been optimised. */
const WARM_UP = 300;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** A server that only sends what the gateway sends, and does nothing with it. */
export const SAME_HOP = 'bare hop, widened requests';

/** Medians in milliseconds; the contenders take turns. */
export async function measureCold(samples: number): Promise<Record<string, number>> {
  const { server: sandbox, access } = await startSandbox(LATENCY_MS);
  const gateway = await startGateway(access, { ttl: 0 });
  const mercurius = await startPeer('mercurius', access, 0);
  const apollo = await startPeer('apollo', access, 0);
  const hop = await start(['test/bench/peers/hop.ts'], access);
  const widened = await start(['test/bench/peers/hop.ts'], { ...access, WIDENED: '1' });
  const direct = createDirect(access);
  const ways: Record<string, () => Promise<unknown>> = {
    direct: direct.ask,
    'bare hop': () => ask(hop.url, page),
    [SAME_HOP]: () => ask(widened.url, page),
    gateway: () => ask(gateway.url, page),
    mercurius: () => ask(mercurius.url, page),
    apollo: () => ask(apollo.url, page),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let i = 0; i < WARM_UP; i += 1) await Promise.all(Object.values(ways).map((run) => run()));
  for (let i = 0; i < samples; i += 1)
    for (const [name, run] of Object.entries(ways)) times[name]!.push(await timed(run));
  await direct.close();
  for (const running of [hop, widened, gateway, mercurius, apollo, sandbox]) await running.stop();
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}
