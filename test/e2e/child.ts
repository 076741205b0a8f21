import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { connect, temporaryFolder } from '../harness.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Returns a time zone in which noon has just passed: neither a day nor a month ends while a test runs. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The sign of these names is the opposite of the usual one.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** The same for all processes of a test: two zones may have different days. */
const ZONE = zoneAtNoon();

const own = () => ({
  PORT: '0',
  DATA_DIR: temporaryFolder(),
  UPSTREAM_TIMEZONE: ZONE,
});

/** Starts the gateway as a process of its own that inherits no environment variables. */
export function startProcess(env: Record<string, string> = {}) {
  return watchProcess([MAIN], { env: { ...own(), ...env } });
}

/** The same, but neither it nor any process it starts may have more than `count` files and connections open. */
export function startWithFewFiles(count: number, env: Record<string, string>) {
  const shell = ['-c', `ulimit -n ${count} && exec "$0" "$1"`, process.execPath, MAIN];
  return watchProcess(shell, { env: { ...own(), ...env } }, 'sh');
}

/** Starts Node, or another program, with these arguments; kills it when the test is over. */
export function watchProcess(
  args: readonly string[],
  options: SpawnOptions,
  program = process.execPath,
) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });

  /** Waits until it logs the address that it listens on, and returns that. */
  async function url(): Promise<string> {
    for (;;) {
      const address = /http:\/\/\S+?(?=\/graphql)/.exec(output.stdout)?.[0];
      if (address) return address;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the process exited: ${output.stderr}`);
      await Promise.race([once(child.stdout, 'data'), exited]);
    }
  }

  return {
    child,
    output,
    exited,
    url,
    /** Returns a client for it, once it listens. */
    connect: async () => connect(`${await url()}/graphql`),
  };
}
