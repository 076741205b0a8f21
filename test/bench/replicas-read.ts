import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from '../../src/shared/valkey/server.ts';
import type { Shared } from '../../src/shared/shared.ts';
import { sharedBySqlite } from '../../src/shared/sqlite/answers.ts';
import { sharedByValkey } from '../../src/shared/valkey/answers.ts';
import { runValkey } from '../valkey.ts';

/** Measures how long it takes to read a kept answer, and how long the event loop is blocked meanwhile. */

const READS = 200;
const MAX_BYTES = 100_000_000;

export interface ReadCost {
  bytes: number;
  /** Median time to read it, back to back; and after a pause, in which the machine goes idle and has to wake up. */
  readMs: number;
  afterPausesMs: number;
  /** Median time to parse it, as every answer is. */
  parseMs: number;
  slowestMs: number;
  longestStopMs: number;
}

const onTrouble = { begins: () => undefined, ends: () => undefined, putAside: () => undefined };

/** Returns records as the upstream sends them, of about `bytes` bytes. */
function bodyOf(bytes: number): string {
  const record = (i: number) => ({ symbol: `T${i}`, price: 1000 / (i + 1), name: `Asset ${i}` });
  const data = Array.from({ length: Math.ceil(bytes / 60) }, (_, i) => record(i));
  return JSON.stringify({ success: true, data });
}

async function open(place: 'file' | 'server') {
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (place === 'file') {
    const clocks = { now: Date.now, monotonic: () => performance.now() };
    const path = join(folder, 'shared.sqlite');
    const shared = sharedBySqlite({ path, maxBytes: MAX_BYTES, ...clocks, onTrouble });
    return { shared, end: () => shared.close().then(remove) };
  }
  const running = await runValkey(folder);
  const server = openServer({ url: running.url, onTrouble });
  await server.ready(1000);
  const shared = sharedByValkey({ server, base: '{bench}:', maxBytes: MAX_BYTES });
  const end = async () => {
    await shared.close();
    server.close();
    await running.kill();
    remove();
  };
  return { shared, end };
}

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[READS / 2]!;

async function measure(shared: Shared, bytes: number): Promise<ReadCost> {
  const body = bodyOf(bytes);
  const key = `answer of ${bytes}`;
  const claim = await shared.claim(key, null, 1000);
  if (claim.isOurs)
    await claim.land({ asked: null, status: 200, body, retrievedAt: Date.now() }, 60_000);
  while ((await shared.read(key)).length === 0) await sleep(5);
  const backToBack = await readings(shared, key);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const afterPauses = await readings(shared, key, () => sleep(1));
  delay.disable();
  return {
    bytes: body.length,
    longestStopMs: delay.max / 1e6,
    readMs: median(backToBack.reads),
    afterPausesMs: median(afterPauses.reads),
    parseMs: median(afterPauses.parses),
    slowestMs: Math.max(...afterPauses.reads),
  };
}

async function readings(shared: Shared, key: string, rest?: () => Promise<void>) {
  const reads: number[] = [];
  const parses: number[] = [];
  for (let i = 0; i < READS; i += 1) {
    const began = performance.now();
    const [answer] = await shared.read(key);
    const read = performance.now();
    JSON.parse(answer!.body);
    reads.push(read - began);
    parses.push(performance.now() - read);
    await rest?.();
  }
  return { reads, parses };
}

export async function readCosts(place: 'file' | 'server'): Promise<ReadCost[]> {
  const { shared, end } = await open(place);
  try {
    return [await measure(shared, 2000), await measure(shared, 300_000)];
  } finally {
    await end();
  }
}
