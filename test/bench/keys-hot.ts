import { join } from 'node:path';
import { median } from './speed-hot.ts';
import { list, small } from './speed-operations.ts';
import type { Variables } from './speed-servers.ts';
import { measureTurns } from './turns-load.ts';

/** Hot answers with a key and without one, by gateways that take turns in one process. */

/** Several processes, since each is compiled in a way of its own. */
const PROCESSES = 3;
const MS = 30_000;
const PER_TURN = 1000;

/** Nothing is asked of the upstream while it is measured; the ports of those who listen are never opened. */
const COMMON = { LOG_LEVEL: 'warn', ADMIN_PORT: '0', TTL_FX_RATES: '36000', TTL_CRYPTO: '36000' };

export interface HotRatio {
  name: string;
  /** Processor time of an answer for each of one without a key: of several processes. */
  ratio: number;
  from: number;
  to: number;
}

export interface Contender {
  name: string;
  /** Undefined: of another gateway where nobody has a key, to tell how much is noise. */
  key: string | undefined;
}

/** For each client and answer. `clients` is the path of the file of the clients, `folder` one for data. */
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
