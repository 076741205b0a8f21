import { Pool } from 'undici';
import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { page, SINCE } from './speed-operations.ts';
import { startSandbox } from './speed-processes.ts';
import { startGateway, startPeer, type Variables } from './speed-servers.ts';

/** A page that nobody keeps: one client, and an upstream that takes its time. */

const LATENCY_MS = 20;
const WARM_UP = 20;

/** What a program would ask without a gateway. */
const PATHS = [
  ['A', '/v1/fx/rates'],
  ['A', '/v1/fx/rates/USDTRY/history'],
  ['A', '/v1/macro/series/TP.DK.USD.A'],
  ['B', `/legislation/changes?start=${SINCE}`],
  ['B', '/calendar/events'],
  ['B', '/crypto/prices?convert=TRY&limit=500'],
] as const;

/** Six requests at once over connections that stay open, bodies parsed. */
function createDirect(access: Variables) {
  const urls = { A: access['GROUP_A_URL']!, B: access['GROUP_B_URL']! };
  const headers = {
    A: { 'x-api-key': access['GROUP_A_KEY']! },
    B: { authorization: `apikey ${access['GROUP_B_KEY']!}`, accept: 'application/json' },
  };
  const pool = new Pool(new URL(urls.A).origin, { connections: 32 });
  const get = async (group: 'A' | 'B', path: string) => {
    const { pathname } = new URL(urls[group]);
    const target = { method: 'GET', path: pathname + path, headers: headers[group] } as const;
    const { body, statusCode } = await pool.request(target);
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    return body.json();
  };
  return {
    ask: () => Promise.all(PATHS.map(([group, path]) => get(group, path))),
    close: () => pool.close(),
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Medians in milliseconds; the contenders take turns. */
export async function measureCold(samples: number): Promise<Record<string, number>> {
  const { server: sandbox, access } = await startSandbox(LATENCY_MS);
  const gateway = await startGateway(access, { ttl: 0 });
  const mercurius = await startPeer('mercurius', access, 0);
  const apollo = await startPeer('apollo', access, 0);
  const direct = createDirect(access);
  const ways: Record<string, () => Promise<unknown>> = {
    direct: direct.ask,
    gateway: () => ask(gateway.url, page),
    mercurius: () => ask(mercurius.url, page),
    apollo: () => ask(apollo.url, page),
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let i = 0; i < samples + WARM_UP; i += 1)
    for (const [name, run] of Object.entries(ways)) {
      const ms = await timed(run);
      if (i >= WARM_UP) times[name]!.push(ms);
    }
  await direct.close();
  for (const running of [gateway, mercurius, apollo, sandbox]) await running.stop();
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}
