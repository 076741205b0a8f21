import { resolve } from 'node:path';
import { createCases, measure, type Measured, median, medians, type Name } from './speed-hot.ts';
import { type Running, startSandbox } from './speed-processes.ts';
import { BUNDLE, prepare, startGateway, startPeer, type Variables } from './speed-servers.ts';

/**
 * Compares this version with another one, in one run:
 *
 *   npm run bench:before -- FOLDER   a checkout of the other version in which `npm run build` has run
 */

/** Two processes of the same version differ by up to a tenth, so each server is started several times. */
const STARTS = 5;
const ROUNDS = 8;
const MS = 300;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run bench:before -- FOLDER\n');
  process.exit(2);
}

async function measureOnce(access: Variables): Promise<Map<string, Measured[]>> {
  const servers = {
    gateway: await startGateway(access, {}),
    before: await startGateway(access, { script: resolve(folder!, BUNDLE) }),
    raw: await startPeer('raw'),
  };
  const results = await measure(servers, await createCases(servers), { rounds: ROUNDS, ms: MS });
  await stop(Object.values(servers));
  return results;
}

async function stop(servers: readonly Running[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

/** How many times as fast as `other` the gateway is: the median over all starts, by rate or CPU, whichever is worse. */
function timesAsFast(starts: readonly (readonly Measured[])[], other: Name): string {
  const ratios = (of: (ours: Measured, theirs: Measured) => number) =>
    median(starts.map((all) => of(find(all, 'gateway'), find(all, other))));
  const rateRatio = ratios((ours, theirs) => ours.perSecond / theirs.perSecond);
  const cpuRatio = ratios((ours, theirs) => theirs.cpuMicros / ours.cpuMicros);
  return `${Math.min(rateRatio, cpuRatio).toFixed(2)} of ${other}`;
}

function find(all: readonly Measured[], name: Name): Measured {
  return all.find(({ server }) => server === name)!;
}

prepare();
const { server: sandbox, access } = await startSandbox();
const measuredByCase = new Map<string, Measured[][]>();
for (let start = 0; start < STARTS; start += 1)
  for (const [name, measured] of await measureOnce(access)) {
    // The answer's size depends on the day, which may change while this runs.
    const key = name.replace(/[\d.]+ kB, /, '');
    measuredByCase.set(key, [...(measuredByCase.get(key) ?? []), measured]);
  }
await stop([sandbox]);
for (const [name, starts] of measuredByCase) {
  const others = (['before', 'raw'] as const).filter((other) =>
    starts[0]!.some(({ server }) => server === other),
  );
  const cpu = medians(starts.flat()).map((one) => `${one.server} ${one.cpuMicros.toFixed(0)} µs`);
  const ratios = others.map((other) => timesAsFast(starts, other));
  process.stdout.write(`${name}: ${ratios.join(', ')} (${cpu.join(', ')})\n`);
}
