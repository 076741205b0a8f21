import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPEN_FILES, type Values } from './figures.ts';
import { startGateway } from './gateway.ts';
import { killAll, startChild } from './processes.ts';
import { WARM_UP } from './report.ts';
import { whenQuiet } from './units.ts';
import { verdictOn } from './verdict.ts';
import { WINDOWS } from './watch.ts';
import { work } from './work.ts';

/**
 * Runs a gateway for an hour over an upstream with intermittent faults: does anything grow that should not, and is
 * every unit accounted for? 100,000 operations in an hour, no two of them the same, and a market page that is
 * asked for besides. A shorter run asks fewer; below 5 minutes caches are still filling up, and the figures are mostly
 * noise. Exits with 1 if a figure grows or accounts differ.
 *
 *   npm run soak -- [minutes] [folder for heap snapshots]
 */

const [minutes = '60', snapshots] = process.argv.slice(2);
const durationMs = Number(minutes) * 60_000;
if (!(durationMs > 0)) throw new Error(`minutes: ${minutes} is not a number above 0`);

const print = (line: string) => void process.stdout.write(`${line}\n`);

const PRINTED_FIGURES = ['heap in use', 'resident memory', 'files', 'cache', OPEN_FILES];
const PRINTED_LINES = 10;
/**
 * Two snapshots after the warm-up show what has grown in between. Each blocks the gateway for seconds, so resident
 * memory jumps, and requests in flight may time out although the upstream has charged them.
 */
const SNAPSHOTS_AFTER = [WINDOWS * WARM_UP, WINDOWS - 1];

function printWindow(window: Values, index: number): void {
  if ((index + 1) % (WINDOWS / PRINTED_LINES) !== 0) return;
  const values = PRINTED_FIGURES.map((name) => `${name} ${window[name]!.toFixed(1)}`);
  print(`${String(Math.round((100 * (index + 1)) / WINDOWS)).padStart(3)} %  ${values.join(', ')}`);
}

async function soak(folder: string): Promise<void> {
  const upstream = startChild({ script: 'upstream.ts' });
  const access = JSON.parse(await upstream.waitForOutput(/^\{.*\}$/)) as Record<string, string>;
  const gateway = await startGateway(access, folder);
  const worked = await work({
    gateway,
    upstream,
    durationMs,
    async onWindow(window, index) {
      printWindow(window, index);
      if (snapshots === undefined || !SNAPSHOTS_AFTER.includes(index)) return;
      await gateway.child.ask(join(snapshots, `${process.pid}-${index}.heapsnapshot`));
    },
  });
  await whenQuiet(upstream);
  const { text, faults } = await verdictOn(gateway, upstream, worked, durationMs);
  print(`\n${text}`);
  const ended = await gateway.child.end();
  if (ended !== 0) faults.push(`the gateway ended with ${ended}`);
  await upstream.end();
  for (const fault of faults) print(`NOT MET: ${fault}`);
  if (faults.length === 0) print('All is flat, and all accounts are equal.');
  process.exitCode = faults.length === 0 ? 0 : 1;
}

const temporary = mkdtempSync(join(tmpdir(), 'marketgraph-soak-'));
process.once('exit', () => {
  killAll();
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await soak(temporary);
