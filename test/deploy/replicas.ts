import { access } from '../harness.ts';
import { startProcess } from '../e2e/child.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startValkey } from '../shared/valkey-server.ts';
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
  const gateways = [startProcess(env), startProcess(env)];
  const [first = '', second = ''] = await Promise.all(gateways.map(({ url }) => url()));
  const ports = [first, second].map((url) => new URL(url).port);
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
