import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { startSandbox as openSandbox } from '../../src/sandbox/sandbox.ts';
import { createDirect, type DirectRequest } from './speed-direct.ts';
import { page } from './speed-operations.ts';
import { start, startSandbox } from './speed-processes.ts';
import { startGateway, startPeer } from './speed-servers.ts';

/** Measures how long a page takes if nothing is cached: one client, an upstream with latency. */

const LATENCY_MS = 20;
/** Pages before the first that counts, so that every server's code has been optimized. */
const WARM_UP = 300;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Pages until a gateway's upstream requests have grown as far as they will. */
const LEARNING = 50;

/** Returns the upstream requests of a gateway that knows the speed of the line. */
async function requestsOfGateway(): Promise<DirectRequest[]> {
  const sandbox = await openSandbox({ latencyMs: LATENCY_MS });
  const { groupA, groupB } = sandbox;
  const urls = { GROUP_A_URL: groupA.url, GROUP_B_URL: groupB.url };
  const access = { ...urls, GROUP_A_KEY: groupA.key, GROUP_B_KEY: groupB.key };
  const gateway = await startGateway(access, { ttl: 0 });
  for (let i = 0; i < LEARNING; i += 1) {
    sandbox.reset();
    await ask(gateway.url, page);
  }
  const requests = sandbox.requests().map(({ group, path }): DirectRequest => [group, path]);
  await gateway.stop();
  await sandbox.close();
  return requests;
}

/** A bare server that sends the same upstream requests as the gateway, and does nothing else. */
export const SAME_HOP = 'bare hop, same requests';

/** Medians in milliseconds; the contenders take turns. */
export async function measureCold(samples: number): Promise<Record<string, number>> {
  const { server: sandbox, access } = await startSandbox(LATENCY_MS);
  const gateway = await startGateway(access, { ttl: 0 });
  const mercurius = await startPeer('mercurius', access, 0);
  const apollo = await startPeer('apollo', access, 0);
  const hop = await start(['test/bench/peers/hop.ts'], access);
  const REQUESTS = JSON.stringify(await requestsOfGateway());
  const sameHop = await start(['test/bench/peers/hop.ts'], { ...access, REQUESTS });
  const direct = createDirect(access);
  const ways: Record<string, () => Promise<unknown>> = {
    direct: direct.ask,
    'bare hop': () => ask(hop.url, page),
    [SAME_HOP]: () => ask(sameHop.url, page),
    gateway: () => ask(gateway.url, page),
    mercurius: () => ask(mercurius.url, page),
    apollo: () => ask(apollo.url, page),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let i = 0; i < WARM_UP; i += 1) await Promise.all(Object.values(ways).map((run) => run()));
  for (let i = 0; i < samples; i += 1)
    for (const [name, run] of Object.entries(ways)) times[name]!.push(await timed(run));
  await direct.close();
  for (const running of [hop, sameHop, gateway, mercurius, apollo, sandbox]) await running.stop();
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}
