import { fileURLToPath } from 'node:url';
import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { bearer, drive, postOf } from './speed-load.ts';
import type { Operation } from './speed-operations.ts';
import { start } from './speed-processes.ts';
import type { Variables } from './speed-servers.ts';

/** Measures what a hot answer costs with gateways that take turns in one process (turns.ts), relative to the first. */

/** The request header that names the gateway that is to answer. */
export const GATEWAY = 'x-gateway';

const TURNS = fileURLToPath(new URL('turns.ts', import.meta.url));
const WARM_UP_MS = 5000;

export interface TurnsOptions {
  /** The others are compared with the first one. */
  gateways: readonly { env: Variables; key?: string | undefined }[];
  operation: Operation;
  /** Answers in each turn. */
  perTurn: number;
  ms: number;
  /** A different one for each measurement; it must not exist yet. */
  folder: string;
}

/** Returns the processor time of an answer of the first gateway, in microseconds, and each other's ratio to it. */
export async function measureTurns({ gateways, operation, perTurn, ms, folder }: TurnsOptions) {
  const setting = JSON.stringify({ folder, perTurn, gateways: gateways.map(({ env }) => env) });
  const turns = await start([TURNS, setting], {}, undefined, `${folder}.log`);
  const headers = gateways.map(({ key }, i) => ({ [GATEWAY]: `${i}`, ...(key && bearer(key)) }));
  for (const one of headers) await ask(turns.url, operation, one);
  const requests = headers.map((one) => postOf(turns.url, operation, one));
  const load = (durationMs: number) => {
    const end = performance.now() + durationMs;
    const next = inTurns(requests, perTurn);
    return drive({ url: turns.url, next }, () => performance.now() >= end);
  };
  const report = async (): Promise<number[][]> =>
    (await fetch(new URL('/turns', turns.url))).json() as Promise<number[][]>;
  await load(WARM_UP_MS);
  await report();
  await load(ms);
  const [first = [], ...others] = await report();
  await turns.stop();
  return { micros: median(first), ratios: others.map((other) => ratioOf(first, other)) };
}

/** Uses the differences of adjacent turns, which had the same disturbances. */
function ratioOf(first: readonly number[], other: readonly number[]): number {
  const differences = first.flatMap((one, i) => (i < other.length ? other[i]! - one : []));
  return 1 + median(differences) / median(first);
}

/** Cycles through the gateways in a new random order each time, so that none always follows a certain other one. */
function inTurns(requests: readonly Buffer[], perTurn: number): () => Buffer {
  let order = shuffled(requests);
  let sent = 0;
  function startTurn(): void {
    const [last, ...rest] = order;
    order = rest;
    // The same gateway twice in a row would be one long turn.
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
