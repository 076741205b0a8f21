import { fileURLToPath } from 'node:url';
import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { bearer, drive, postOf } from './speed-load.ts';
import type { Operation } from './speed-operations.ts';
import { start } from './speed-processes.ts';
import type { Variables } from './speed-servers.ts';

/** What a hot answer costs of gateways that take turns within one process (turns.ts), beside the first of them. */

/** The header of a request that says which gateway is to answer it. */
export const GATEWAY = 'x-gateway';

const TURNS = fileURLToPath(new URL('turns.ts', import.meta.url));
const WARM_MS = 5000;

export interface Taking {
  /** The first one is what the others are compared with. */
  gateways: readonly { env: Variables; key?: string | undefined }[];
  operation: Operation;
  /** Answers in each turn. */
  perTurn: number;
  ms: number;
  /** Of its own for each measurement: not there yet. */
  folder: string;
}

/** The processor time of an answer of the first gateway in microseconds; and for each other one, what one costs for each of those. */
export async function measureTurns({ gateways, operation, perTurn, ms, folder }: Taking) {
  const setting = JSON.stringify({ folder, perTurn, gateways: gateways.map(({ env }) => env) });
  const turns = await start([TURNS, setting], {}, undefined, `${folder}.log`);
  const headers = gateways.map(({ key }, i) => ({ [GATEWAY]: `${i}`, ...(key && bearer(key)) }));
  for (const one of headers) await ask(turns.url, operation, one);
  const requests = headers.map((one) => postOf(turns.url, operation, one));
  const load = (during: number) => {
    const end = performance.now() + during;
    const next = inTurns(requests, perTurn);
    return drive({ url: turns.url, next }, () => performance.now() >= end);
  };
  const report = async (): Promise<number[][]> =>
    (await fetch(new URL('/turns', turns.url))).json() as Promise<number[][]>;
  await load(WARM_MS);
  await report();
  await load(ms);
  const [first = [], ...others] = await report();
  await turns.stop();
  return { micros: median(first), ratios: others.map((other) => ratioOf(first, other)) };
}

/** By differences of turns next to each other, which had the same disturbances. */
function ratioOf(first: readonly number[], other: readonly number[]): number {
  const beyond = first.flatMap((one, i) => (i < other.length ? other[i]! - one : []));
  return 1 + median(beyond) / median(first);
}

/** In another order each time: none is always the one after a certain other. */
function inTurns(requests: readonly Buffer[], perTurn: number): () => Buffer {
  let order = shuffled(requests);
  let sent = 0;
  function startTurn(): void {
    const [last, ...rest] = order;
    order = rest;
    // The same one twice would be one long turn.
    while (order.length === 0 || order[0] === last) order = shuffled(requests);
  }
  return () => {
    if (sent > 0 && sent % perTurn === 0) startTurn();
    sent += 1;
    return order[0]!;
  };
}

const shuffled = <T>(all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one);
