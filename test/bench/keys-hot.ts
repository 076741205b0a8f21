import { join } from 'node:path';
import { median } from './speed-hot.ts';
import { list, small } from './speed-operations.ts';
import type { Variables } from './speed-servers.ts';
import { measureTurns } from './turns-load.ts';

/** Compares hot answers with and without a key, of gateways that take turns in one process. */

/** Several processes, since V8 compiles the code differently in each. */
const PROCESSES = 3;
const MS = 30_000;
const PER_TURN = 1000;

/** No upstream request is sent during the measurement. */
const COMMON = { LOG_LEVEL: 'warn', ADMIN_PORT: '0', TTL_FX_RATES: '36000', TTL_CRYPTO: '36000' };

export interface HotRatio {
  name: string;
  /** Processor time of an answer relative to one without a key: the median of several processes, and their range. */
  ratio: number;
  from: number;
  to: number;
}

export interface Contender {
  name: string;
  /** If undefined, another gateway without keys is measured, to tell how much is noise. */
  key: string | undefined;
}

/** Measures each contender with each operation. `clients` is the path of the clients file, `folder` is for data. */
export async function measureHot(
  access: Variables,
  { clients, folder }: { clients: string; folder: string },
  contenders: readonly Contender[],
): Promise<HotRatio[]> {
  const env = { ...access, ...COMMON };
  const keyed = { ...env, CLIENTS_FILE: clients };
  const others = contenders.map(({ key }) => ({ env: key === undefined ? env : keyed, key }));
  const results: HotRatio[] = [];
  for (const operation of [small, list]) {
    const runs: number[][] = [];
    for (let run = 0; run < PROCESSES; run += 1) {
      const own = join(folder, `${operation.operationName}-${run}`);
      const about = { operation, perTurn: PER_TURN, ms: MS, folder: own };
      runs.push((await measureTurns({ gateways: [{ env }, ...others], ...about })).ratios);
    }
    for (const [i, { name }] of contenders.entries()) {
      const ratios = runs.map((run) => run[i]!);
      const [from, to] = [Math.min(...ratios), Math.max(...ratios)];
      results.push({
        name: `${operation.operationName}, ${name}`,
        ratio: median(ratios),
        from,
        to,
      });
    }
  }
  return results;
}
