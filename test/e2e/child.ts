import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { connect, temporaryFolder } from '../harness.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** The gateway as a process of its own, with nothing of this environment but what is given. */
export function startProcess(env: Record<string, string> = {}) {
  return watchProcess([MAIN], { env: { PORT: '0', DATA_DIR: temporaryFolder(), ...env } });
}

/** The same where neither it nor what it starts may have more than `count` files and connections open. */
export function startWithFewFiles(count: number, env: Record<string, string>) {
  const shell = ['-c', `ulimit -n ${count} && exec "$0" "$1"`, process.execPath, MAIN];
  return watchProcess(shell, { env: { PORT: '0', DATA_DIR: temporaryFolder(), ...env } }, 'sh');
}

/** Node, or another program, with these arguments; killed when the test is over. */
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

  /** The address it says it listens on. */
  async function url(): Promise<string> {
    for (;;) {
      const said = /http:\/\/\S+?(?=\/graphql)/.exec(output.stdout)?.[0];
      if (said) return said;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it has ended: ${output.stderr}`);
      await Promise.race([once(child.stdout, 'data'), exited]);
    }
  }

  return {
    child,
    output,
    exited,
    url,
    /** Talks to it, once it listens. */
    connect: async () => connect(`${await url()}/graphql`),
  };
}
