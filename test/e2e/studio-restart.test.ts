import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { hasBrowser } from '../browser.ts';
import { access, temporaryFolder } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { ask, cost, price, SANDBOX } from './studio-visit.ts';

/** A page that stays open while its gateway is restarted with real keys. */

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('it no longer runs by itself what is paid now, nor says that data are made up', async () => {
    const sandbox = await startSandbox({});
    const open = (env: Record<string, string>) =>
      createApp(readConfig({ LOG_LEVEL: 'silent', DATA_DIR: temporaryFolder(), ...env }));
    const [imitated, real] = [await open(SANDBOX), await open(access(sandbox))];
    let current = imitated;
    const server = createServer((...message) => current.handler(...message));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.close().closeAllConnections();
      await Promise.all([imitated.close(), real.close()]);
      await sandbox.close();
    });
    const address = server.address();
    const page = await browser().newPage();
    onTestFinished(() => page.close());
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/graphql`);
    const badge = page.getByRole('button', { name: 'SANDBOX' });
    await badge.waitFor();
    await cost(page).getByText('Cost').first().waitFor();
    current = real;
    await ask(page, 'Top gainers');
    await price(page).getByText('Asks the upstream').waitFor();
    expect(await badge.isVisible()).toBe(false);
    expect(sandbox.requests()).toEqual([]);
  });
});
