import { describe, expect, test } from 'vitest';
import { open } from '../harness.ts';
import { openProxy } from './faults.ts';
import { NO_SERVER, startValkey } from './valkey-server.ts';

describe.skipIf(NO_SERVER)('the log', () => {
  test.each([
    ['WRONGPASS', ':a-wrong-one@', true],
    ['NOAUTH', '', true],
    ['ECONNREFUSED', ':a-wrong-one@', false],
  ])('says why there is no connection (%s), and no address or password', async (...it) => {
    const [reason, credentials, isUp] = it;
    const server = await startValkey();
    await server.command('CONFIG', 'SET', 'requirepass', 'secret');
    if (!isUp) await server.kill();
    const url = server.url.replace('//', `//${credentials}`);
    for (const SHARED_URL of [url, `${url},${url}`]) {
      const { log } = await open({ env: { SHARED_URL } });
      await expect.poll(log).toContain(`no connection: ${reason}"`);
      expect(log()).not.toMatch(/a-wrong-one|127\.0\.0\.1/);
    }
  });

  test('tells another reason why a server is still away', async () => {
    const server = await startValkey();
    const proxy = await openProxy(server.url);
    const { log } = await open({ env: { SHARED_URL: proxy.url } });
    proxy.cut();
    await expect.poll(log).toContain('the shared server is away');
    await server.command('CONFIG', 'SET', 'requirepass', 'secret');
    proxy.restore();
    await expect
      .poll(log)
      .toContain('"reason":"no connection: NOAUTH","msg":"the shared server is still away"');
  });

  test('says that a server answers nothing at the start', async () => {
    const server = await startValkey();
    server.freeze();
    const { log } = await open({ env: { SHARED_URL: server.url } });
    await expect
      .poll(log)
      .toMatch(/"reason":"(there is no connection yet|no connection: Socket timeout)/);
    server.resume();
    await expect.poll(log).toContain('the shared server is back');
  });
});
