import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { watchProcess } from '../e2e/child.ts';
import { temporaryFolder } from '../harness.ts';
import { freePort } from '../valkey.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

const PROGRAM = fileURLToPath(new URL('../../src/commands/replicas.ts', import.meta.url));

test.skipIf(NO_SERVER)('npm run replicas: each gateway has its own admin listener', async () => {
  const [{ url }, port] = [await startValkey(), await freePort()];
  const env = { SHARED_URL: url, PORT: '0', ADMIN_PORT: String(port), DATA_DIR: temporaryFolder() };
  const { child, exited, output } = watchProcess([PROGRAM], { env });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const allOutput = () => output.stdout + output.stderr;
  await expect.poll(allOutput).toMatch(/Ctrl-C|replicas: /);
  expect(output.stderr).toBe('');
  for (const own of [port, port + 10])
    expect((await fetch(`http://127.0.0.1:${own}/health`)).status).toBe(200);
});

test.skipIf(NO_SERVER)("without ADMIN_PORT, the second one's is the default plus 10", async () => {
  const { url } = await startValkey();
  const env = { SHARED_URL: url, PORT: '0', DATA_DIR: temporaryFolder() };
  const { child, exited, output } = watchProcess([PROGRAM], { env });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  // Either replica 2 says where its console is, or that another program has the port.
  await expect.poll(() => output.stdout + output.stderr).toContain(':4011');
});

const ENDS = {
  'the terminal is closed': (child: ChildProcess) => child.kill('SIGHUP'),
  'nobody reads its output any more': (child: ChildProcess) => child.stdout?.destroy(),
};

test.skipIf(NO_SERVER).each(Object.entries(ENDS))(
  'npm run replicas leaves no gateway behind when %s',
  async (_when, end) => {
    const [{ url }, port] = [await startValkey(), await freePort()];
    const env = {
      SHARED_URL: url,
      PORT: '0',
      ADMIN_PORT: String(port),
      DATA_DIR: temporaryFolder(),
    };
    const { child, output } = watchProcess([PROGRAM], { env });
    const exited = once(child, 'exit');
    await expect.poll(() => output.stdout).toMatch(/Ctrl-C/);
    const gateway = /http:\/\/\S+\/graphql/.exec(output.stdout)?.[0] ?? '';
    const answers = () =>
      fetch(`${gateway}?query={__typename}`).then(
        (one) => one.status,
        () => 0,
      );
    expect(await answers()).toBe(200);
    end(child);
    // The gateway logs this query: it is passed on, and so notices that nobody reads.
    await answers();
    await exited;
    expect(await answers()).toBe(0);
  },
);
