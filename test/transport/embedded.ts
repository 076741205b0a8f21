import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { temporaryFolder } from '../harness.ts';

/**
 * Opens a gateway over the sandbox as a part of another server, as in docs/deploying.md; returns its address.
 * `around`: what that server does before the gateway.
 */
export async function openEmbedded(
  env: Record<string, string> = {},
  around = (handler: RequestListener): RequestListener => handler,
): Promise<string> {
  const settings = { SANDBOX: '1', LOG_LEVEL: 'silent', DATA_DIR: temporaryFolder(), ...env };
  const app = await createApp(readConfig(settings));
  const server = createServer(app.serverOptions, around(app.handler)).on('upgrade', app.upgrade);
  onTestFinished(async () => {
    server.close();
    await app.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
