import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { neverSeen, small } from './speed-operations.ts';
import { SOURCES, startGateway, type Variables } from './speed-servers.ts';

/** How long answers take to one client, alone and beside others that flood the gateway. */

const ROUNDS = 4;
const WINDOW_MS = 1000;
/** So long a flood may take until its client has no operation left for this minute. */
const FIRST_MS = 3000;
/** The first moment of a window still belongs to what was before. */
const SETTLE_MS = 150;
const EVERY_MS = 4;
/** A hundred times what the client may send (keys.ts). */
export const FLOOD_PER_SECOND = 1000;

const FLOOD = fileURLToPath(new URL('keys-flood.ts', import.meta.url));

/** Asks at a steady pace; every second question is one that was never asked before, of data that are there. */
function createSteady(url: string, key: string) {
  const pool = new Pool(new URL(url).origin, { connections: 8 });
  const variant = neverSeen(small);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  let index = 0;

  async function ask(): Promise<number> {
    index += 1;
    const body = JSON.stringify(index % 2 === 0 ? small : variant(index));
    const began = performance.now();
    const reply = await pool.request({ method: 'POST', path: '/graphql', headers, body });
    const text = await reply.body.text();
    if (reply.statusCode !== 200 || text.includes('"errors"')) throw new Error(text);
    return performance.now() - began;
  }

  return {
    close: () => pool.close(),
    async during(ms: number): Promise<number[]> {
      const asked: Promise<number>[] = [];
      for (const end = performance.now() + ms; performance.now() < end; await sleep(EVERY_MS))
        asked.push(ask());
      return Promise.all(asked);
    },
  };
}

export interface Beside {
  name: string;
  p50: number;
  p99: number;
  /** In the first seconds of a flood, while operations of its client are still served. */
  firstP99: number;
}

/** Alone first, then beside each of the others. */
export async function measureBeside(
  access: Variables,
  env: Variables,
  keyOf: Readonly<Record<string, string>>,
  floods: readonly string[],
): Promise<Beside[]> {
  const gateway = await startGateway(access, { script: SOURCES, more: env });
  const flood = fork(FLOOD, [gateway.url, String(FLOOD_PER_SECOND)], { execArgv: [] });
  await once(flood, 'message');
  const steady = createSteady(gateway.url, keyOf['steady']!);
  await steady.during(1000);
  const beside = async (key: string, ms: number): Promise<number[]> => {
    if (key) flood.send(key);
    await steady.during(SETTLE_MS);
    const times = await steady.during(ms);
    flood.send('');
    await once(flood, 'message');
    return times;
  };
  const all = ['', ...floods].map((name) => ({
    name: name || 'alone',
    key: keyOf[name] ?? '',
    times: [] as number[],
  }));
  const firsts: number[][] = [];
  for (const { key } of all) firsts.push(key ? await beside(key, FIRST_MS) : []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { key, times } of all) times.push(...(await beside(key, WINDOW_MS)));
  flood.disconnect();
  await steady.close();
  await gateway.stop();
  return all.map(({ name, times }, i) => ({
    name,
    p50: share(times, 0.5),
    p99: share(times, 0.99),
    firstP99: share(firsts[i]!, 0.99),
  }));
}

const share = (times: readonly number[], of: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * of)] ?? NaN;
