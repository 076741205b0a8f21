import { describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProcess } from '../e2e/child.ts';
import { access, open } from '../harness.ts';
import { startCluster, withReplica } from './cluster.ts';
import { NO_SERVER } from './valkey-server.ts';

/** A node of a cluster is gone, and another one has taken its place. */

describe.skipIf(NO_SERVER)('a node that is silent', { timeout: 60_000 }, () => {
  test('is left for the one that takes its place, whatever nodes SHARED_URL names', async () => {
    const nodes = await startCluster();
    const owner = await withReplica(nodes);
    const { get, another } = await open({ env: { SHARED_URL: owner.url } });
    await get('{ fxRates { totalCount } }');
    owner.freeze();
    await get('{ fxRate(pair: "USDTRY") { history { change } } }');
    const units = async () => {
      const other = await another({ SHARED_URL: nodes.map(({ url }) => url).join(',') });
      const { usage } = await other.get<{ usage: { fx: { usedThisMonth: number } } }>(
        '{ usage { fx { usedThisMonth } } }',
      );
      return usage.fx.usedThisMonth;
    };
    // What is spent meanwhile is told to the new node.
    await expect.poll(units, { timeout: 30_000, interval: 500 }).toBe(2);
  });

  test('does not keep a process from ending', async () => {
    const nodes = await startCluster();
    nodes[0]!.freeze();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const SHARED_URL = nodes.map(({ url }) => url).join(',');
    const { child, exited, output, url } = startProcess({ ...access(sandbox), SHARED_URL });
    await url();
    await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain('server is away');
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
  });
});
