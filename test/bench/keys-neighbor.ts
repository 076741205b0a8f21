import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { neverSeen, small } from './speed-operations.ts';
import type { Running } from './speed-processes.ts';
import { SOURCES, startGateway, startPeer, type Variables } from './speed-servers.ts';

/**
 * Measures how long one client waits for answers, alone and beside another that floods the gateway. A bare server that
 * only sends bytes is flooded in turn: if the flood itself takes the processors, the client of that server waits
 * longer, too.
 */

const ROUNDS = 8;
const WINDOW_MS = 1000;
/** How long each first flood lasts: long enough for a limited client to use up its operations of the minute. */
const FIRST_MS = 3000;
/** How much of a window's start is left out: it is still affected by what came before. */
const SETTLE_MS = 150;
const INTERVAL_MS = 4;
/** A hundred times as many operations as the client may send (keys.ts). */
export const FLOOD_PER_SECOND = 1000;

const FLOOD = fileURLToPath(new URL('keys-flood.ts', import.meta.url));

/** Asks at a steady pace; every second operation has never been asked before, but its data are cached. */
function createSteady({ url, mainThreadMs }: Running, key: string) {
  const pool = new Pool(new URL(url).origin, { connections: 8 });
  const variant = neverSeen(small);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  let index = 0;

  async function ask(): Promise<Answered> {
    index += 1;
    const body = JSON.stringify(index % 2 === 0 ? small : variant(index));
    const [began, worked] = [performance.now(), mainThreadMs()];
    const reply = await pool.request({ method: 'POST', path: '/graphql', headers, body });
    const text = await reply.body.text();
    if (reply.statusCode !== 200 || text.includes('"errors"')) throw new Error(text);
    return { ms: performance.now() - began, workedMs: mainThreadMs() - worked };
  }

  return {
    close: () => pool.close(),
    async during(ms: number): Promise<Answered[]> {
      const asked: Promise<Answered>[] = [];
      for (const end = performance.now() + ms; performance.now() < end; await sleep(INTERVAL_MS))
        asked.push(ask());
      return Promise.all(asked);
    },
  };
}

/**
 * How long an answer took, and how long the server worked meanwhile: on a machine of its own the answer would take no
 * longer.
 */
interface Answered {
  ms: number;
  workedMs: number;
}

export interface Impact {
  name: string;
  p50: number;
  p99: number;
  workedP99: number;
  /** In the first seconds of a flood, in which a limited client uses up its operations. */
  firstP99: number;
  firstWorkedP99: number;
}

/** A server, a client that asks it steadily, and a process that floods it on demand. */
async function createScene(server: Running, key: string) {
  const flood = fork(FLOOD, [server.url, String(FLOOD_PER_SECOND)], { execArgv: [] });
  await once(flood, 'message');
  const steady = createSteady(server, key);
  await steady.during(1000);
  return {
    /** Measures beside a flood with the key `floodKey`; alone if that is empty. */
    async during(floodKey: string, ms: number): Promise<Answered[]> {
      if (floodKey) flood.send(floodKey);
      await steady.during(SETTLE_MS);
      const times = await steady.during(ms);
      flood.send('');
      await once(flood, 'message');
      return times;
    },
    async close() {
      flood.disconnect();
      await steady.close();
    },
  };
}

async function startBare() {
  const server = await startPeer('raw');
  await fetch(server.url, { method: 'PUT', body: JSON.stringify({ data: {} }) });
  return server;
}

/** Measures alone first, then beside each flood. `bareFactor` is the factor by which the bare server's p99 grows. */
export async function measureNeighbor(
  access: Variables,
  env: Variables,
  keyOf: Readonly<Record<string, string>>,
  floods: readonly string[],
): Promise<{ all: Impact[]; bareFactor: number }> {
  const gateway = await startGateway(access, { script: process.env.SRC ?? SOURCES, more: env });
  const bare = await startBare();
  const key = keyOf['steady']!;
  const [scene, bareScene] = [await createScene(gateway, key), await createScene(bare, key)];
  const windows = ['', ...floods].map((name) => ({ name, times: [] as Answered[] }));
  const bareTimes: Record<'alone' | 'beside', Answered[]> = { alone: [], beside: [] };
  const firstFloods: Answered[][] = [];
  for (const { name } of windows)
    firstFloods.push(name ? await scene.during(keyOf[name]!, FIRST_MS) : []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, times } of windows)
      times.push(...(await scene.during(keyOf[name] ?? '', WINDOW_MS)));
    bareTimes.alone.push(...(await bareScene.during('', WINDOW_MS)));
    bareTimes.beside.push(...(await bareScene.during(key, WINDOW_MS)));
  }
  for (const one of [scene, bareScene]) await one.close();
  for (const server of [gateway, bare]) await server.stop();
  const all = windows.map(({ name, times }, i) => ({
    name: name || 'alone',
    p50: share(times, 0.5),
    p99: share(times, 0.99),
    workedP99: share(times, 0.99, 'workedMs'),
    firstP99: share(firstFloods[i]!, 0.99),
    firstWorkedP99: share(firstFloods[i]!, 0.99, 'workedMs'),
  }));
  return { all, bareFactor: share(bareTimes.beside, 0.99) / share(bareTimes.alone, 0.99) };
}

const share = (times: readonly Answered[], of: number, by: keyof Answered = 'ms') =>
  times.map((one) => one[by]).toSorted((a, b) => a - b)[Math.floor(times.length * of)] ?? NaN;
