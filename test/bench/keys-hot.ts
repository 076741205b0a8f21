import { drive, type Load, postOf } from './speed-load.ts';
import { ask } from './speed-ask.ts';
import { median } from './speed-hot.ts';
import { list, type Operation, small } from './speed-operations.ts';
import type { Running } from './speed-processes.ts';
import { SOURCES, startGateway, type Variables } from './speed-servers.ts';

/** Hot answers with a key and without one: two gateways over one sandbox, which take turns. */

const ROUNDS = 5;
const TURN_MS = 350;

export interface HotRatio {
  name: string;
  /** Processor time that an answer with a key takes of the thread that serves, for each of one without. */
  cpu: number;
  /** The same for the time between two answers. */
  time: number;
}

/** Over ten connections for a while. */
async function turn({ mainThreadMs }: Running, load: Load): Promise<{ cpu: number; time: number }> {
  const during = (ms: number) => {
    const end = performance.now() + ms;
    return drive(load, () => performance.now() >= end);
  };
  await during(TURN_MS / 5);
  const before = mainThreadMs();
  const { answers, ms } = await during(TURN_MS);
  return { cpu: (mainThreadMs() - before) / answers, time: ms / answers };
}

export interface Contender {
  name: string;
  key: string;
}

/** For each client and answer. `env` names the file of the clients. */
export async function measureHot(
  access: Variables,
  env: Variables,
  clients: readonly Contender[],
): Promise<HotRatio[]> {
  const plain = await startGateway(access, { script: SOURCES });
  const keyed = await startGateway(access, { script: SOURCES, more: env });
  const results: HotRatio[] = [];
  for (const operation of [small, list]) {
    const loads = await loadsOf(operation, plain, keyed, clients);
    const turns = loads.map(() => [] as { cpu: number; time: number }[]);
    for (let round = 0; round < ROUNDS; round += 1)
      for (let i = 0; i < loads.length; i += 1) {
        const which = (i + round) % loads.length;
        const { running, load } = loads[which]!;
        turns[which]!.push(await turn(running, load));
      }
    const [without, ...others] = turns;
    const ratio = (of: readonly { cpu: number; time: number }[], what: 'cpu' | 'time') =>
      median(of.map((one) => one[what])) / median(without!.map((one) => one[what]));
    for (const [i, { name }] of clients.entries()) {
      const [cpu, time] = [ratio(others[i]!, 'cpu'), ratio(others[i]!, 'time')];
      results.push({ name: `${operation.operationName}, ${name}`, cpu, time });
    }
  }
  await plain.stop();
  await keyed.stop();
  return results;
}

async function loadsOf(
  operation: Operation,
  plain: Running,
  keyed: Running,
  clients: readonly Contender[],
) {
  const repeat = (running: Running, bytes: Buffer) => ({
    running,
    load: { url: running.url, next: () => bytes },
  });
  await ask(plain.url, operation);
  return [
    repeat(plain, postOf(plain.url, operation)),
    ...clients.map(({ key }) => repeat(keyed, postOf(keyed.url, operation, key))),
  ];
}
