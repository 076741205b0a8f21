import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expectNoArguments } from '../config/arguments.ts';
import { readConfig } from '../config.ts';
import { onceToldToEnd } from '../end-signals.ts';
import { asError } from '../maybe.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

/**
 * `npm run replicas`: starts two gateways that share a Valkey or Redis server, to try that out. The server is
 * the one of SHARED_URL, or else the first on the PATH, started without persistence; the upstream is the
 * configured one, or else the sandbox. Ctrl-C ends everything, and so does closing the terminal or the reader of its
 * output: nobody would know of the gateways and the server any more.
 */

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const SERVERS = ['valkey-server', 'redis-server'];
const NONE = `no ${SERVERS.join(' or ')} on the PATH. Install one (Debian and Ubuntu: apt-get install \
redis-server; macOS: brew install valkey), or set SHARED_URL to one that is running`;
/** Distance between the ports of the two replicas. */
const PORT_STEP = 10;
/** The port of a replica; 0, which stands for any free one, stays 0. */
const portOf = (number: number, first: number) =>
  String(first === 0 ? 0 : first + (number - 1) * PORT_STEP);

const USAGE = `usage: npm run replicas
Starts two gateways that share a server. It takes no arguments: SHARED_URL names a server that is running already, and
all other variables are those of the gateway. PORT and ADMIN_PORT are the ports of the first gateway; those of the
second are ${PORT_STEP} higher.`;

type Env = Record<string, string | undefined>;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const children: ChildProcess[] = [];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function startServer(): Promise<string> {
  const program = SERVERS.find((name) => spawnSync(name, ['--version']).status === 0);
  if (!program) throw new Error(NONE);
  const port = await freePort();
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  children.push(spawn(program, options, { stdio: 'ignore' }));
  return `redis://127.0.0.1:${port}`;
}

/** Starts the sandbox if no upstream is configured; it ends with this process. Returns variables that name it. */
async function openUpstream(): Promise<Env> {
  if (readConfig(process.env).upstream) return {};
  const { groupA, groupB } = await startSandbox();
  const env = {
    GROUP_A_URL: groupA.url,
    GROUP_A_KEY: groupA.key,
    GROUP_B_URL: groupB.url,
    GROUP_B_KEY: groupB.key,
    SANDBOX: undefined,
  };
  print('Upstream:  the sandbox, all data are synthetic');
  return env;
}

/** Starts one gateway, and passes its output on except for the line with its address; resolves once it listens. */
async function startReplica(number: number, env: Env): Promise<void> {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once('exit', () => reject(new Error(`replica ${number} has exited`)));
  child.stdout.on('data', (lines) => {
    const text = String(lines);
    const [line = '', url] = /.*?(http:\/\/\S+\/graphql).*\n?/.exec(text) ?? [];
    if (url) resolve(url);
    process.stdout.write(text.replace(line, ''));
  });
  print(`Replica ${number}: ${await promise}`);
}

async function end(code: number): Promise<void> {
  for (const child of children.toReversed()) {
    if ((child.exitCode ?? child.signalCode) !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  process.exit(code);
}

function endWhenTold(): void {
  onceToldToEnd(process.env, () => end(0));
  // Without a listener, the first line that nobody reads would end this process, and no other.
  process.stdout.once('error', () => {
    process.stdout.on('error', () => undefined);
    void end(0);
  });
}

async function main(): Promise<void> {
  expectNoArguments(USAGE);
  const { port, admin, sharedUrls } = readConfig(process.env);
  endWhenTold();
  const url = sharedUrls.join(',') || (await startServer());
  print(`Shared:    ${sharedUrls.length > 0 ? 'SHARED_URL' : url}`);
  const upstream = await openUpstream();
  for (const number of [1, 2]) {
    const ports = {
      PORT: portOf(number, port),
      // If none is set, and the default port is taken, the first gateway uses any free one.
      ...(!(admin.isDefaultPort && number === 1) && { ADMIN_PORT: portOf(number, admin.port) }),
    };
    await startReplica(number, { ...upstream, SHARED_URL: url, ...ports });
  }
  print(
    'Send a query to one, then to the other: the second answer costs nothing. Ctrl-C stops everything.',
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`replicas: ${asError(error).message}\n`);
  return end(1);
});
