import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { watchProcess } from '../e2e/child.ts';
import { temporaryFolder } from '../harness.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

const PROGRAM = fileURLToPath(new URL('../../src/commands/replicas.ts', import.meta.url));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.skipIf(NO_SERVER)('npm run replicas: each gateway has its own admin listener', async () => {
  const [{ url }, port] = [await startValkey(), await freePort()];
  const env = { SHARED_URL: url, PORT: '0', ADMIN_PORT: String(port), DATA_DIR: temporaryFolder() };
  const { child, exited, output } = watchProcess([PROGRAM], { env });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const allOutput = () => output.stdout + output.stderr;
  await expect.poll(allOutput, { timeout: 20_000 }).toMatch(/Ctrl-C|replicas: /);
  expect(output.stderr).toBe('');
  for (const own of [port, port + 10])
    expect((await fetch(`http://127.0.0.1:${own}/health`)).status).toBe(200);
});
