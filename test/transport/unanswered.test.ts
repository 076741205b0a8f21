import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/transport/node.ts';
import { access, connect, temporaryFolder } from '../harness.ts';

test('a request that cannot be answered at all is cut off, and the log says why', async () => {
  let isBroken = false;
  const now = () => {
    if (isBroken) throw new Error('the clock is broken');
    return Date.now();
  };
  const sandbox = await startSandbox();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const config = readConfig({ ...access(sandbox), DATA_DIR: temporaryFolder() });
  const app = await createApp(config, { log, now });
  const server = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await server.close(1000);
    await app.close();
    await sandbox.close();
  });
  const { ask } = connect(`${server.url}/graphql`);
  isBroken = true;
  await expect(ask('{ __typename }')).rejects.toThrow('fetch failed');
  isBroken = false;
  expect(lines.join('')).toMatch(/the clock is broken.*a request cannot be answered/);
  expect((await ask('{ __typename }')).errors).toEqual([]);
});
