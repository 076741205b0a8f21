import { resolve } from 'node:path';
import { createCases, measure } from './speed-hot.ts';
import { startSandbox } from './speed-processes.ts';
import { BUNDLE, prepare, startGateway, startPeer } from './speed-servers.ts';
import { ratio } from './speed-targets.ts';

/**
 * This version beside another one, in one run:
 *
 *   npm run bench:before -- FOLDER   a checkout of the other version in which `npm run build` has run
 */

const ROUNDS = 7;
const MS = 800;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run bench:before -- FOLDER\n');
  process.exit(2);
}

prepare();
const { server: sandbox, access } = await startSandbox();
const servers = {
  gateway: await startGateway(access, {}),
  before: await startGateway(access, { script: resolve(folder, BUNDLE) }),
  raw: await startPeer('raw'),
};
const results = await measure(servers, await createCases(servers), { rounds: ROUNDS, ms: MS });
for (const running of [...Object.values(servers), sandbox]) await running.stop();
for (const [name, measured] of results) {
  const [before, raw] = (['before', 'raw'] as const).map((other) =>
    ratio(measured, other).toFixed(2),
  );
  const cpu = measured.map(({ server, cpuMicros }) => `${server} ${cpuMicros.toFixed(0)} µs`);
  process.stdout.write(`${name}: ${before} of before, ${raw} of raw (${cpu.join(', ')})\n`);
}
