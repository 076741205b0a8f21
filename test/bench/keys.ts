import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, newKey } from '../../src/clients/keys.ts';
import { FLOOD_PER_SECOND, measureNeighbor } from './keys-neighbor.ts';
import { measureRejection } from './keys-rejection.ts';
import { measureHot } from './keys-hot.ts';
import { startSandbox } from './speed-processes.ts';

/**
 * What keys cost: hot answers with a key compared with those without, requests with a wrong key, and how long
 * one client waits while another one floods the gateway.
 *
 *   npm run bench:keys       five minutes; other load on the machine distorts the last figures
 */

const TARGETS = { hot: 1.05, wrongMicros: 20, p99: 1.2 };
const MINUTES = 60;

const CLIENTS = [
  { name: 'a key' },
  {
    name: 'a key, budgets and a limit of operations',
    budgets: [
      { meter: 'FX', window: 'DAY', limit: 1000 },
      { meter: 'CREDITS', window: 'MONTH', limit: 1000 },
    ],
    operationsPerMinute: 1_000_000_000,
  },
  { name: 'steady' },
  {
    name: 'a flood with a limit of operations and budgets',
    operationsPerMinute: (FLOOD_PER_SECOND / 100) * MINUTES,
    budgets: [
      { meter: 'FX', window: 'DAY', limit: 20 },
      { meter: 'CREDITS', window: 'DAY', limit: 20 },
    ],
  },
  {
    name: 'a flood with budgets only',
    budgets: [
      { meter: 'FX', window: 'DAY', limit: 20 },
      { meter: 'CREDITS', window: 'DAY', limit: 20 },
    ],
  },
];

const print = (line: string) => void process.stdout.write(`${line}\n`);
let isMissed = false;

function verdict(value: number, bound: number, digits: number, unit = ''): string {
  isMissed ||= value > bound;
  const text = `${value.toFixed(digits)}${unit} (at most ${bound}${unit})`;
  return value > bound ? `${text} MISSED` : text;
}

const folder = mkdtempSync(join(tmpdir(), 'marketgraph-keys-'));
const path = join(folder, 'clients.json');
const keyOf = Object.fromEntries(CLIENTS.map(({ name }) => [name, newKey()]));
/** Names in the file have to be single words. */
const listed = CLIENTS.map(({ name, ...client }) => ({
  ...client,
  name: name.replaceAll(/\W+/g, '-'),
  keys: [`sha256:${digestOf(keyOf[name]!)}`],
}));
writeFileSync(path, JSON.stringify({ clients: listed }));
const env = { CLIENTS_FILE: path };
const { server: sandbox, access } = await startSandbox();

const contenders = [
  { name: 'no key, another gateway', key: undefined },
  ...CLIENTS.slice(0, 2).map(({ name }) => ({ name, key: keyOf[name]! })),
];
print('processor time of a hot answer relative to one without a key, median of three processes');
for (const { name, ratio, from, to } of await measureHot(
  access,
  { clients: path, folder },
  contenders,
))
  print(`  ${name}: ${verdict(ratio, TARGETS.hot, 3)}, ${from.toFixed(3)} to ${to.toFixed(3)}`);

const rejection = await measureRejection(path, join(folder, 'door'));
print('a request with a wrong key');
print(
  `  beyond the cheapest server: ${verdict(rejection.requestMicros, TARGETS.wrongMicros, 1, ' µs')}`,
);
print(`  that server ${rejection.bareMicros.toFixed(1)} µs, its client included`);
print(
  `  authentication alone ${verdict(rejection.authenticatorMicros, TARGETS.wrongMicros, 1, ' µs')}`,
);
print(`  of that, finding whose key it is ${rejection.identifyMicros.toFixed(2)} µs`);

print(`one client, alone and beside a flood of ${FLOOD_PER_SECOND} operations a second`);
const floods = CLIENTS.slice(3).map(({ name }) => name);
const { all, bareFactor } = await measureNeighbor(access, env, keyOf, floods);
const [alone, ...impacts] = all;
const ratioToAlone = (p99: number) => verdict(p99 / alone!.p99, TARGETS.p99, 2);
print(`  a server that only sends bytes: p99 ${bareFactor.toFixed(2)} times as long as alone`);
const worked = (ms: number) => `(the gateway works for ${ms.toFixed(2)} ms meanwhile)`;
print(
  `  alone: p50 ${alone!.p50.toFixed(2)} ms, p99 ${alone!.p99.toFixed(2)} ms ${worked(alone!.workedP99)}`,
);
const [limited, unlimited] = impacts;
for (const { name, p50, p99, workedP99, firstP99, firstWorkedP99 } of impacts) {
  print(
    `  beside ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms ${worked(workedP99)}`,
  );
  print(`    in its first seconds p99 ${firstP99.toFixed(2)} ms ${worked(firstWorkedP99)}`);
}
print(
  `  p99 relative to alone, once the flood's operations are used up: ${ratioToAlone(limited!.p99)}`,
);
print(`  p99 relative to alone, in the flood's first seconds: ${ratioToAlone(limited!.firstP99)}`);
// Budgets only limit units: answers from the cache take processor time, too, and nothing limits that.
print(
  `  p99 relative to alone, beside a flood with budgets only: ${(unlimited!.p99 / alone!.p99).toFixed(2)} (no target)`,
);
await sandbox.stop();
rmSync(folder, { recursive: true });
if (isMissed) process.exitCode = 1;
