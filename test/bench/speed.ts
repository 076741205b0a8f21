import { writeFileSync } from 'node:fs';
import { measureCold } from './speed-cold.ts';
import { measureFirst } from './speed-first.ts';
import { measureFlat } from './speed-flat.ts';
import { createCases, measure, mediansOf, type Name, type Servers } from './speed-hot.ts';
import { type Running, startSandbox } from './speed-processes.ts';
import { prepare, startGateway, startPeer, type Variables } from './speed-servers.ts';
import { measureStarts } from './speed-start.ts';
import { report } from './speed-table.ts';

/**
 * How fast answers are, compared with other servers over the same sandbox, and with no server in between.
 *
 *   npm run bench            under ten minutes; writes test/bench/results.md
 *   npm run bench -- --quick about a minute; prints only
 */

/** `loads`: how often the servers that take turns are started, since two processes of one version differ by a tenth. */
const THOROUGH = { loads: 3, rounds: 3, ms: 700, cold: 150, starts: 7, flatBytes: 2_097_152 };
const QUICK = { loads: 1, rounds: 3, ms: 400, cold: 60, starts: 3, flatBytes: 524_288 };

const isQuick = process.argv.includes('--quick');
const effort = isQuick ? QUICK : THOROUGH;

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function underLoad(access: Variables) {
  const servers: Servers = {
    gateway: await startGateway(access, {}),
    raw: await startPeer('raw'),
    mercurius: await startPeer('mercurius', access),
    apollo: await startPeer('apollo', access),
  };
  const hot = await measure(servers, await createCases(servers), effort);
  const running = Object.entries(servers) as [Name, Running][];
  const memory = new Map(running.map(([name, server]) => [name, server.residentMiB()]));
  for (const [, server] of running) await server.stop();
  return { hot, memory };
}

prepare();
const { server: sandbox, access } = await startSandbox();
print('starts ...');
const starts = await measureStarts(access, effort.starts);
print('first pages ...');
const first = await measureFirst(effort.starts);
print('cold ...');
const cold = await measureCold(effort.cold);
print('load ...');
const loads = [];
for (let start = 0; start < effort.loads; start += 1) loads.push(await underLoad(access));
const hot = mediansOf(loads.map((load) => load.hot));
const { memory } = loads[0]!;
print('distinct requests ...');
const flat = await measureFlat(access, effort.flatBytes);
await sandbox.stop();
const text = report({ hot, memory, cold, starts, first, flat });
if (!isQuick) writeFileSync(new URL('results.md', import.meta.url), text);
print(text);
