import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../harness.ts';
import { freePort } from '../valkey.ts';
import { watchProcess } from './child.ts';

/** npm passes a signal only to the shell in which it runs a script, and not every shell passes it on. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs npm in a process group of its own, which is killed at the end: it contains what npm leaves behind. */
function startNpm(args: readonly string[], env: Record<string, string> = {}) {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, detached: true };
  const npm = watchProcess(args, options, 'npm');
  onTestFinished(() => {
    try {
      process.kill(-npm.child.pid!, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  });
  return npm;
}

const isReachable = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

test('a SIGTERM to npm start stops the gateway, which says so', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const npm = startNpm(['start'], {
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    DATA_DIR: temporaryFolder(),
    DRAIN_MS: '0',
  });
  const url = await npm.url();
  expect(await isReachable(`${url}/health`)).toBe(true);
  npm.child.kill('SIGTERM');
  await expect.poll(() => npm.output.stdout).toContain('shutting down');
  await expect.poll(() => isReachable(`${url}/health`)).toBe(false);
});

test('a SIGTERM to npm run sandbox stops the sandbox', async () => {
  const npm = startNpm(['run', 'sandbox', '--', '--port', '0']);
  const url = () => /^GROUP_A_URL=(.+)$/m.exec(npm.output.stdout)?.[1] ?? '';
  await expect.poll(url).not.toBe('');
  expect(await isReachable(`${url()}/health`)).toBe(true);
  npm.child.kill('SIGTERM');
  await expect.poll(() => isReachable(`${url()}/health`)).toBe(false);
});
