import { resolve } from 'node:path';
import { createCases, measure, type Measured, medians } from './speed-hot.ts';
import { type Running, startSandbox } from './speed-processes.ts';
import { BUNDLE, prepare, startGateway, startPeer, type Variables } from './speed-servers.ts';
import { ratio } from './speed-targets.ts';

/**
 * This version beside another one, in one run:
 *
 *   npm run bench:before -- FOLDER   a checkout of the other version in which `npm run build` has run
 */

/** Two processes of the same version differ by up to a tenth: each server is started several times. */
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

prepare();
const { server: sandbox, access } = await startSandbox();
const all = new Map<string, Measured[]>();
for (let start = 0; start < STARTS; start += 1)
  for (const [name, measured] of await measureOnce(access))
    all.set(name, [...(all.get(name) ?? []), ...measured]);
await stop([sandbox]);
for (const [name, results] of all) {
  const measured = medians(results);
  const [before, raw] = (['before', 'raw'] as const).map((other) =>
    ratio(measured, other).toFixed(2),
  );
  const cpu = measured.map(({ server, cpuMicros }) => `${server} ${cpuMicros.toFixed(0)} µs`);
  process.stdout.write(`${name}: ${before} of before, ${raw} of raw (${cpu.join(', ')})\n`);
}
