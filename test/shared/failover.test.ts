import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { formatDay, parseDay } from '../../src/time.ts';
import { startProcess } from '../e2e/child.ts';
import { access, open } from '../harness.ts';
import { startCluster, withReplica } from './cluster.ts';
import { openProxy } from './faults.ts';
import { NO_SERVER, startValkey, type ValkeyServer } from './valkey-server.ts';

/** A server is gone, or has become a replica, and another one has taken its place. */

const RATES = '{ fxRates { totalCount } }';
const USAGE = '{ usage { fx { usedThisMonth } } }';

interface Usage {
  fx: { usedThisMonth: number };
}

describe.skipIf(NO_SERVER)('a server that is silent', () => {
  test('is left for the one that takes its place, whichever nodes SHARED_URL names', async () => {
    const nodes = await startCluster();
    const owner = await withReplica(nodes);
    const { get, another } = await open({ env: { SHARED_URL: owner.url } });
    await get(RATES);
    owner.freeze();
    await get('{ fxRate(pair: "USDTRY") { history { change } } }');
    const units = async () => {
      const other = await another({ SHARED_URL: nodes.map(({ url }) => url).join(',') });
      const { usage } = await other.get<{ usage: Usage }>(USAGE);
      return usage.fx.usedThisMonth;
    };
    // Units spent meanwhile are reported to the new node.
    await expect.poll(units, { interval: 500 }).toBe(2);
  });

  test('or has become a replica is left once its address leads to another one', async () => {
    const [first, second] = [await startValkey(), await startValkey()];
    const proxy = await openProxy(first.url);
    const replicateFrom = (server: ValkeyServer, of: URL) =>
      server.command('REPLICAOF', of.hostname, of.port);
    await replicateFrom(second, new URL(first.url));
    const env = { SHARED_URL: proxy.url, FX_MONTHLY_LIMIT: '1000', WIDEN_MAX_BYTES: '0' };
    const { ask, another, sandbox } = await open({ env });
    await ask(RATES);
    await second.command('REPLICAOF', 'NO', 'ONE');
    await replicateFrom(first, new URL(second.url));
    proxy.redirectTo(second.url);
    let end = parseDay('2026-01-01')!;
    const spend = async () => {
      end += 1;
      const range = `start: "2026-01-01", end: "${formatDay(end)}"`;
      const { errors } = await ask(`{ fxRate(pair: "USDTRY") { history(${range}) { change } } }`);
      return errors.map(({ extensions }) => extensions.code);
    };
    // Units granted in advance are used up first.
    await expect.poll(spend).toEqual(['SPENDING_UNCERTAIN']);
    await expect.poll(spend).toEqual([]);
    const other = await another({ ...env, SHARED_URL: second.url });
    const { usage } = await other.get<{ usage: Usage }>(USAGE);
    expect(usage.fx.usedThisMonth).toBe(sandbox.spent().fx);
  });

  test('does not keep a process from ending', async () => {
    const nodes = await startCluster();
    nodes[0]!.freeze();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const SHARED_URL = nodes.map(({ url }) => url).join(',');
    const { child, exited, output, url } = startProcess({ ...access(sandbox), SHARED_URL });
    await url();
    await expect.poll(() => output.stdout).toContain('server is away');
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
  });
});
