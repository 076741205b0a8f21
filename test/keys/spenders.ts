import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import type { SpenderOptions } from './spender.ts';
import { createCount } from './spending.ts';

/** Processes that spend for clients (spender.ts), all at the same time. */
export interface Spenders {
  children: ChildProcess[];
  /** Returns what they have spent by now, counted in the order of spending. */
  counts(): ReturnType<typeof createCount>;
  /** Reasons for which any of them was refused, once all have ended or were killed. Rejects if one failed. */
  ended: Promise<Set<string>>;
}

const SPENDER = fileURLToPath(new URL('spender.ts', import.meta.url));
/** Starting eight processes takes a while: with a compile cache each module is compiled only once. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

export async function startSpenders(
  count: number,
  options: Omit<SpenderOptions, 'log'>,
): Promise<Spenders> {
  const log = join(temporaryFolder(), 'spent');
  writeFileSync(log, '');
  const refused = new Set<string>();
  const start = async () => {
    const child = fork(SPENDER, [JSON.stringify({ ...options, log })], { execArgv: [], env });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    await Promise.race([once(child, 'message'), exited]);
    child.on('message', (reasons: string[]) => reasons.forEach((one) => refused.add(one)));
    return { child, exited };
  };
  const all = await Promise.all(Array.from({ length: count }, start));
  for (const { child } of all) child.send('begin');
  return {
    children: all.map(({ child }) => child),
    counts: () => countIn(log),
    ended: Promise.all(all.map(({ exited }) => exited)).then((ends) => {
      if (ends.some(([code]) => code !== 0 && code !== null)) throw new Error('one has failed');
      return refused;
    }),
  };
}

function countIn(log: string): ReturnType<typeof createCount> {
  const count = createCount();
  const lines = readFileSync(log, 'utf8').split('\n');
  // The last line may be incomplete.
  for (const line of lines.slice(0, -1)) {
    const [client, units] = JSON.parse(line) as [string, 1 | -1];
    count.note(client, units);
  }
  return count;
}
