import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, fileOf, startChild } from './processes.ts';
import { MANIFEST } from './questions.ts';
import { sameTimesToLive } from '../times-to-live.ts';

/** The gateway of a soak: times to live are short and caches small, so that all of them expire or fill up early. */

const SETTINGS = {
  ...sameTimesToLive('5'),
  TTL_FX_RATES: '2',
  TTL_CRYPTO: '2',
  TTL_FX_HISTORY: '3',
  TTL_MACRO_CATALOG: '10',
  TTL_CALENDAR: '4',
  TTL_SETTLED_DAYS: '10',
  // If the machine stalls for longer, answers that were charged count as timeouts.
  UPSTREAM_TIMEOUT_MS: '5000',
  OPERATION_TIMEOUT_MS: '8000',
  CACHE_MAX_BYTES: String(32 * 1024 * 1024),
  KEPT_MAX_BYTES: String(2 * 1024 * 1024),
  // The sandbox does not charge requests that hang.
  TIMEOUTS_COUNT: '0',
  LOG_LEVEL: 'warn',
};

/** Each client's key is its name. The first two send most of the requests. */
const CLIENTS = [
  { name: 'page', priority: 'HIGH' },
  { name: 'app' },
  { name: 'frugal', maxUnitsPerOperation: 1, priority: 'LOW' },
  { name: 'limited', operationsPerMinute: 120 },
];

export interface Gateway {
  child: Child;
  url: string;
  adminUrl: string;
  /** The folder of its data. */
  folder: string;
  keys: readonly string[];
}

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

const digestOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** Starts a gateway over the upstream that `access` leads to; everything it writes goes to `folder`. */
export async function startGateway(
  access: Record<string, string>,
  folder: string,
): Promise<Gateway> {
  const clientsFile = join(folder, 'clients.json');
  const clients = CLIENTS.map((one) => ({ ...one, keys: [digestOf(one.name)] }));
  writeFileSync(clientsFile, JSON.stringify({ clients }));
  const data = join(folder, 'data');
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = startChild({
    script: '../../src/main.ts',
    execArgv: ['--expose-gc', '--import', fileOf('collect.ts')],
    env: {
      ...access,
      ...SETTINGS,
      DATA_DIR: data,
      CLIENTS_FILE: clientsFile,
      PERSISTED_DOCUMENTS: fileOf(`../../${MANIFEST}`),
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
    },
  });
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  await whenReady(child, `${adminUrl}/ready`);
  return {
    child,
    url: `http://127.0.0.1:${port}/graphql`,
    adminUrl,
    folder: data,
    keys: CLIENTS.map(({ name }) => name),
  };
}

async function whenReady(child: Child, url: string): Promise<void> {
  for (;;) {
    if (!child.isAlive())
      throw new Error(`the gateway did not start:\n${child.lines().join('\n')}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns the ids of the manifest by the names of their operations. */
export function readManifest(): ReadonlyMap<string, string> {
  const text = readFileSync(fileOf(`../../${MANIFEST}`), 'utf8');
  const all = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(all.map(([id, query]) => [/^\w+ (\w+)/.exec(query)![1]!, id]));
}
