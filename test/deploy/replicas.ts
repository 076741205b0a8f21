import { access } from '../harness.ts';
import { startProcess } from '../e2e/child.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startValkey } from '../shared/valkey-server.ts';
import { freePort } from '../valkey.ts';
import { onTestFinished } from 'vitest';
import { startNginx } from './nginx.ts';

/** How long a stopping gateway announces it before it closes its port, in milliseconds. */
const DRAIN_MS = 500;

/** What compose.yaml starts, as processes of this machine, over the sandbox. */
export async function startReplicas() {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const env = {
    ...access(sandbox),
    SHARED_URL: (await startValkey()).url,
    TRUST_PROXY: '127.0.0.1',
    DRAIN_MS: String(DRAIN_MS),
    ADMIN_PORT: '0',
  };
  // A gateway that is replaced gives up its port for a moment: nobody else may get it.
  const ports = [String(await freePort()), String(await freePort())];
  const gateways = ports.map((PORT) => startProcess({ ...env, PORT }));
  const [first = '', second = ''] = await Promise.all(gateways.map(({ url }) => url()));
  const url = await startNginx([first, second]);

  async function stop(i: number): Promise<void> {
    gateways[i]?.child.kill('SIGTERM');
    await gateways[i]?.exited;
  }

  return {
    url,
    sandbox,
    gateways,
    stop,
    /** Stops one of them gracefully, and starts a new one in its place. */
    async restart(i: number): Promise<void> {
      await stop(i);
      const next = startProcess({ ...env, PORT: ports[i] ?? '' });
      await next.url();
      gateways[i] = next;
    },
  };
}
