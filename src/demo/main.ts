import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { listenAdmin } from '../admin/listen.ts';
import { createApp } from '../app.ts';
import { digestOf, newKey } from '../clients/keys.ts';
import { expectNoArguments } from '../config/arguments.ts';
import { readConfig } from '../config.ts';
import { onceToldToEnd } from '../end-signals.ts';
import type { Meter } from '../meters.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { listen } from '../transport/node.ts';
import { type ThisMonth, writePast } from './past.ts';
import { CLIENTS, startTraffic } from './traffic.ts';

/**
 * `npm run demo`: serves a gateway as it looks after a month of work. Starts the sandbox as its upstream, and
 * clients with keys that keep asking, and makes up five weeks of history, in a temporary folder that is removed
 * at the end. PORT and ADMIN_PORT are read as usual: 0 means any free port for PORT, and no console for ADMIN_PORT.
 */

const USAGE = `usage: npm run demo
Serves a gateway as it looks after a month of work. It takes no arguments: PORT and ADMIN_PORT are read as usual.`;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const UPSTREAM_MS = 40;

/**
 * Allowances, relative to what the month would cost at this rate: one that lasts, one that is ample, and one so tight
 * that answers are kept longer.
 */
const ALLOWANCES: Record<Meter, number> = { fx: 1.25, macro: 3, credits: 1.01 };

/** In round figures. Some units are left at the end of a month, too. */
function allowanceFor(meter: Meter, { spent, whole }: ThisMonth): string {
  const rounded = Math.round((whole[meter] * ALLOWANCES[meter]) / 100) * 100;
  return String(Math.max(spent[meter] + 100, rounded));
}

/** Writes the clients file with new keys, and returns each client's key by its name. */
function writeClients(path: string): Map<string, string> {
  const keys = new Map(CLIENTS.map(({ name }) => [name, newKey()]));
  const clients = [...keys].map(([name, key]) => ({ name, keys: [`sha256:${digestOf(key)}`] }));
  writeFileSync(path, JSON.stringify({ clients }));
  return keys;
}

function printAddresses(
  graphqlUrl: string,
  consoleUrl: string | undefined,
  key: string | undefined,
): void {
  print('SANDBOX: all data, clients and units are made up.');
  print(`Console:  ${consoleUrl ?? 'none, since ADMIN_PORT is 0'}`);
  print(`Studio:   ${graphqlUrl}, which asks for the key below`);
  print(`GraphQL:  the same, with the header`);
  print(`          authorization: Bearer ${key}`);
  print('Ctrl-C ends all, and removes it.');
}

async function main(): Promise<void> {
  expectNoArguments(USAGE);
  const folder = mkdtempSync(join(tmpdir(), 'marketgraph-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { timezone } = readConfig({ SANDBOX: '1' });
  const now = Date.now();
  const month = writePast(folder, CLIENTS, { now, timezone });
  const clientsFile = join(folder, 'clients.json');
  const keys = writeClients(clientsFile);
  const credits = allowanceFor('credits', month);
  // The sandbox states what is left of the plan.
  const left = Number(credits) - month.spent.credits;
  const sandbox = await startSandbox({ latencyMs: UPSTREAM_MS, credits: left });
  const config = readConfig({
    ...process.env,
    GROUP_A_URL: sandbox.groupA.url,
    GROUP_A_KEY: sandbox.groupA.key,
    GROUP_B_URL: sandbox.groupB.url,
    GROUP_B_KEY: sandbox.groupB.key,
    SANDBOX: undefined,
    SHARED_URL: undefined,
    DATA_DIR: folder,
    CLIENTS_FILE: clientsFile,
    FX_MONTHLY_LIMIT: allowanceFor('fx', month),
    MACRO_MONTHLY_LIMIT: allowanceFor('macro', month),
    CREDITS_MONTHLY_LIMIT: credits,
  });
  const log = pino({ level: 'warn' });
  const app = await createApp(config, { log, isSandbox: true });
  const server = await listen(app, config.host, config.port);
  const admin = await listenAdmin(app.admin, config.admin, log);
  const graphqlUrl = `${server.url}/graphql`;
  const endTraffic = startTraffic(graphqlUrl, keys);
  printAddresses(graphqlUrl, admin?.url, keys.get('web'));

  async function end(): Promise<void> {
    endTraffic();
    app.stop();
    await Promise.all([server.close(1000), admin?.close()]);
    await app.close(1000);
    await sandbox.close();
  }
  onceToldToEnd(process.env, end);
}

main().catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  // Whatever was opened by then would keep the process running.
  process.exit(1);
});
